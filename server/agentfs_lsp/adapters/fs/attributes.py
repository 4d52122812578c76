"""Attributes a file keeps when its content is replaced: mode, owner if permitted, extended attributes and
ACLs (docs/protocol.md#6-agentfswrite). Times and hard links are not kept."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys

# These certify the old content; the kernel drops them on a write, too.
_SEALS = frozenset({"security.capability", "security.ima", "security.evm"})
_ACCESS_LIST = "system.posix_acl_access"
_NOT_OURS = frozenset({errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def keep_attributes(source: int, target: int) -> None:
    """Copy the attributes of the open file `source` to the open file `target`.

    Omits those that only another user might set. Raises OSError on other failures."""
    wanted = os.fstat(source)
    _keep_owner(wanted, target)
    _keep_extended(source, target)
    os.fchmod(target, _fitting_mode(wanted, os.fstat(target)))


def _keep_owner(wanted: os.stat_result, target: int) -> None:
    found = os.fstat(target)
    if (found.st_uid, found.st_gid) == (wanted.st_uid, wanted.st_gid):
        return
    for owner in (wanted.st_uid, -1):  # changing only the group may be permitted
        try:
            os.fchown(target, owner, wanted.st_gid)
        except OSError as error:
            if error.errno not in _NOT_OURS:
                raise
        else:
            return


def _fitting_mode(wanted: os.stat_result, found: os.stat_result) -> int:
    """The wanted mode, without permissions it would grant to another owner or group than intended."""
    mode = stat.S_IMODE(wanted.st_mode)
    if found.st_uid != wanted.st_uid:
        mode &= ~stat.S_ISUID
    if found.st_gid != wanted.st_gid:
        mode &= ~(stat.S_ISGID | stat.S_IRWXG)
        mode |= (mode & stat.S_IRWXO) << 3
    return mode


if sys.platform == "darwin":
    _COPYFILE_ACL, _COPYFILE_XATTR = 1 << 0, 1 << 2
    _fcopyfile = ctypes.CDLL(None, use_errno=True)["fcopyfile"]
    _fcopyfile.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32)

    def _keep_extended(source: int, target: int) -> None:
        if _fcopyfile(source, target, None, _COPYFILE_ACL | _COPYFILE_XATTR) != 0:
            code = ctypes.get_errno()
            if code not in _NOT_OURS:
                raise OSError(code, os.strerror(code))

else:

    def _keep_extended(source: int, target: int) -> None:
        try:
            wanted = os.listxattr(source)
            inherited = os.listxattr(target)
        except OSError as error:
            if error.errno in _NOT_OURS:  # a file system without extended attributes
                return
            raise
        if _ACCESS_LIST in inherited and _ACCESS_LIST not in wanted:
            # The folder's default ACL would admit users the file does not name.
            os.removexattr(target, _ACCESS_LIST)
        for name in wanted:
            if name in _SEALS:
                continue
            try:
                os.setxattr(target, name, os.getxattr(source, name))
            except OSError as error:
                if error.errno not in _NOT_OURS | {errno.ENODATA}:
                    raise
