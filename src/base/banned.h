/* Included before every file by the build: calls that have no safe use become compile errors. */
#ifndef FREVO_BASE_BANNED_H
#define FREVO_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok gets atoi atol atoll
#pragma GCC poison gmtime localtime asctime tmpnam mktemp srand

#endif
