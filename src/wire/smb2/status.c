/* Looking up NTSTATUS values in the one table of status.h; it is short and only read for messages,
 * so a linear search by rising value does. */
#include "wire/smb2/status.h"

#include <string.h>

struct status_row {
        uint32_t value;
        const char *name, *text;
};

static const struct status_row rows[] = {
#define STATUS_ROW(name, value, text) {value, #name, text},
        NT_STATUS_TABLE(STATUS_ROW)
#undef STATUS_ROW
};

static const struct status_row *row_of(uint32_t status)
{
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                if (rows[i].value == status)
                        return &rows[i];
        return NULL;
}

const char *nt_status_name(uint32_t status)
{
        const struct status_row *r = row_of(status);
        return r ? r->name : NULL;
}

const char *nt_status_text(uint32_t status)
{
        const struct status_row *r = row_of(status);
        return r ? r->text : "unknown status";
}

bool nt_status_by_name(const char *name, uint32_t *ret_status)
{
        const size_t prefix = sizeof "STATUS_" - 1;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                if (strcmp(rows[i].name, name) == 0 || strcmp(rows[i].name + prefix, name) == 0) {
                        *ret_status = rows[i].value;
                        return true;
                }
        }
        return false;
}
