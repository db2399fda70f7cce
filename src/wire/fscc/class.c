/* See class.h. The minimums of queries are those of [MS-FSA] 2.1.5.6 and 2.1.5.12: the offset of a
 * trailing name, rounded up as that document's BlockAlign says; those of sets, 2.1.5.15. */
#include "wire/fscc/class.h"

#define NEVER CLASS_NEVER

static const struct fscc_class file_classes[] = {
        {FILE_DIRECTORY_INFORMATION, "FileDirectoryInformation", 64, NEVER, true},
        {FILE_FULL_DIRECTORY_INFORMATION, "FileFullDirectoryInformation", 68, NEVER, true},
        {FILE_BOTH_DIRECTORY_INFORMATION, "FileBothDirectoryInformation", 94, NEVER, true},
        {FILE_BASIC_INFORMATION, "FileBasicInformation", 40, 40, false},
        {FILE_STANDARD_INFORMATION, "FileStandardInformation", 24, NEVER, false},
        {FILE_INTERNAL_INFORMATION, "FileInternalInformation", 8, NEVER, false},
        {FILE_EA_INFORMATION, "FileEaInformation", 4, NEVER, false},
        {FILE_ACCESS_INFORMATION, "FileAccessInformation", 4, NEVER, false},
        /* Windows asks its own redirector for this one; no server answers it. */
        {FILE_NAME_INFORMATION, "FileNameInformation", NEVER, NEVER, false},
        /* 20 and not the 24 of the padded structure: names of one character come without padding.
         */
        {FILE_RENAME_INFORMATION, "FileRenameInformation", NEVER, 20, false},
        {FILE_LINK_INFORMATION, "FileLinkInformation", NEVER, 20, false},
        {FILE_NAMES_INFORMATION, "FileNamesInformation", 12, NEVER, true},
        {FILE_DISPOSITION_INFORMATION, "FileDispositionInformation", NEVER, 1, false},
        {FILE_POSITION_INFORMATION, "FilePositionInformation", 8, 8, false},
        {FILE_FULL_EA_INFORMATION, "FileFullEaInformation", 0, 0, false},
        {FILE_MODE_INFORMATION, "FileModeInformation", 4, 4, false},
        {FILE_ALIGNMENT_INFORMATION, "FileAlignmentInformation", 4, NEVER, false},
        {FILE_ALL_INFORMATION, "FileAllInformation", 104, NEVER, false},
        {FILE_ALLOCATION_INFORMATION, "FileAllocationInformation", NEVER, 8, false},
        {FILE_END_OF_FILE_INFORMATION, "FileEndOfFileInformation", NEVER, 8, false},
        {FILE_ALTERNATE_NAME_INFORMATION, "FileAlternateNameInformation", 8, NEVER, false},
        {FILE_STREAM_INFORMATION, "FileStreamInformation", 32, NEVER, false},
        {FILE_PIPE_INFORMATION, "FilePipeInformation", 8, 8, false},
        {FILE_PIPE_LOCAL_INFORMATION, "FilePipeLocalInformation", 40, NEVER, false},
        {FILE_PIPE_REMOTE_INFORMATION, "FilePipeRemoteInformation", 12, NEVER, false},
        {FILE_COMPRESSION_INFORMATION, "FileCompressionInformation", 16, NEVER, false},
        {FILE_QUOTA_INFORMATION, "FileQuotaInformation", 0, 0, false},
        {FILE_NETWORK_OPEN_INFORMATION, "FileNetworkOpenInformation", 56, NEVER, false},
        {FILE_ATTRIBUTE_TAG_INFORMATION, "FileAttributeTagInformation", 8, NEVER, false},
        {FILE_ID_BOTH_DIRECTORY_INFORMATION, "FileIdBothDirectoryInformation", 104, NEVER, true},
        {FILE_ID_FULL_DIRECTORY_INFORMATION, "FileIdFullDirectoryInformation", 80, NEVER, true},
        {FILE_VALID_DATA_LENGTH_INFORMATION, "FileValidDataLengthInformation", NEVER, 8, false},
        {FILE_SHORT_NAME_INFORMATION, "FileShortNameInformation", NEVER, 8, false},
        {FILE_NORMALIZED_NAME_INFORMATION, "FileNormalizedNameInformation", 8, NEVER, false},
        {FILE_REMOTE_PROTOCOL_INFORMATION, "FileRemoteProtocolInformation", NEVER, NEVER, false},
        {FILE_ID_INFORMATION, "FileIdInformation", 24, NEVER, false},
        {FILE_ID_EXTD_DIRECTORY_INFORMATION, "FileIdExtdDirectoryInformation", 88, NEVER, true},
        {FILE_ID_EXTD_BOTH_DIRECTORY_INFORMATION, "FileIdExtdBothDirectoryInformation", 114, NEVER,
         true},
        {FILE_DISPOSITION_INFORMATION_EX, "FileDispositionInformationEx", NEVER, 4, false},
        {FILE_RENAME_INFORMATION_EX, "FileRenameInformationEx", NEVER, 20, false},
        {FILE_LINK_INFORMATION_EX, "FileLinkInformationEx", NEVER, 20, false},
        {FILE_ID64_EXTD_DIRECTORY_INFORMATION, "FileId64ExtdDirectoryInformation", 80, NEVER, true},
        {FILE_ID64_EXTD_BOTH_DIRECTORY_INFORMATION, "FileId64ExtdBothDirectoryInformation", 106,
         NEVER, true},
        {FILE_ID_ALL_EXTD_DIRECTORY_INFORMATION, "FileIdAllExtdDirectoryInformation", 96, NEVER,
         true},
        {FILE_ID_ALL_EXTD_BOTH_DIRECTORY_INFORMATION, "FileIdAllExtdBothDirectoryInformation", 122,
         NEVER, true},
};

/* [MS-FSCC] 2.5; labels, driver path and volume flags are local to Windows. */
static const struct fscc_class fs_classes[] = {
        {FILE_FS_VOLUME_INFORMATION, "FileFsVolumeInformation", 24, NEVER, false},
        {FILE_FS_LABEL_INFORMATION, "FileFsLabelInformation", NEVER, NEVER, false},
        {FILE_FS_SIZE_INFORMATION, "FileFsSizeInformation", 24, NEVER, false},
        {FILE_FS_DEVICE_INFORMATION, "FileFsDeviceInformation", 8, NEVER, false},
        {FILE_FS_ATTRIBUTE_INFORMATION, "FileFsAttributeInformation", 16, NEVER, false},
        {FILE_FS_CONTROL_INFORMATION, "FileFsControlInformation", 48, 48, false},
        {FILE_FS_FULL_SIZE_INFORMATION, "FileFsFullSizeInformation", 32, NEVER, false},
        {FILE_FS_OBJECTID_INFORMATION, "FileFsObjectIdInformation", 64, 64, false},
        {FILE_FS_SECTOR_SIZE_INFORMATION, "FileFsSectorSizeInformation", 28, NEVER, false},
};

static const struct fscc_class *find(const struct fscc_class *row, size_t n, unsigned number)
{
        for (size_t i = 0; i < n; i++)
                if (row[i].number == number)
                        return &row[i];
        return NULL;
}

const struct fscc_class *fscc_file_class(unsigned number)
{
        return find(file_classes, sizeof file_classes / sizeof *file_classes, number);
}

const struct fscc_class *fscc_fs_class(unsigned number)
{
        return find(fs_classes, sizeof fs_classes / sizeof *fs_classes, number);
}
