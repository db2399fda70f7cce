/* Self-relative security descriptors, [MS-DTYP] 2.4.6, and which of their parts a request means,
 * 2.4.7. Views only: a decoded descriptor lives as long as the bytes it came from. */
#ifndef FREVO_WIRE_SECURITY_DESCRIPTOR_H
#define FREVO_WIRE_SECURITY_DESCRIPTOR_H

#include "wire/security/acl.h"

enum secdesc_control { /* [MS-DTYP] 2.4.6, least significant bit first */
                       SD_OWNER_DEFAULTED = 0x0001,
                       SD_GROUP_DEFAULTED = 0x0002,
                       SD_DACL_PRESENT = 0x0004,
                       SD_DACL_DEFAULTED = 0x0008,
                       SD_SACL_PRESENT = 0x0010,
                       SD_SACL_DEFAULTED = 0x0020,
                       SD_DACL_TRUSTED = 0x0040,
                       SD_SERVER_SECURITY = 0x0080,
                       SD_DACL_COMPUTE_INHERIT = 0x0100,
                       SD_SACL_COMPUTE_INHERIT = 0x0200,
                       SD_DACL_AUTO_INHERITED = 0x0400,
                       SD_SACL_AUTO_INHERITED = 0x0800,
                       SD_DACL_PROTECTED = 0x1000,
                       SD_SACL_PROTECTED = 0x2000,
                       SD_RM_CONTROL_VALID = 0x4000,
                       SD_SELF_RELATIVE = 0x8000,
};

enum security_information { /* [MS-DTYP] 2.4.7 */
                            SECINFO_OWNER = 0x00000001,
                            SECINFO_GROUP = 0x00000002,
                            SECINFO_DACL = 0x00000004,
                            SECINFO_SACL = 0x00000008,
                            SECINFO_LABEL = 0x00000010,
                            SECINFO_ATTRIBUTE = 0x00000020,
                            SECINFO_SCOPE = 0x00000040,
                            SECINFO_BACKUP = 0x00010000,
};

struct secdesc {
        uint16_t control;   /* enum secdesc_control */
        uint8_t rm_control; /* means something with SD_RM_CONTROL_VALID */
        bool has_owner, has_group;
        struct sid owner, group;
        /* With the PRESENT bit and raw.n == 0 the list is NULL: for the DACL "everyone may do
         * everything", which is not the same as a list without entries ("nobody may"). */
        struct acl dacl, sacl;
};

/* At most LIMIT_SD_BYTES. An ACL behind a cleared PRESENT bit is ignored. */
bool secdesc_decode(struct bytes in, struct secdesc *out);

/* Writes the parts that `which` (enum security_information) names; the others, and their control
 * bits, are left out. Parts of the SACL: SECINFO_SACL takes the audit entries (and unknown kinds),
 * LABEL, ATTRIBUTE and SCOPE the entries of those kinds. Offsets count from where the writer
 * stands. Order on the wire: owner, group, SACL, DACL. */
void secdesc_encode(struct writer *w, const struct secdesc *sd, uint32_t which);

/* Bytes that secdesc_encode() writes: what STATUS_BUFFER_TOO_SMALL reports. */
size_t secdesc_len(const struct secdesc *sd, uint32_t which);

#endif
