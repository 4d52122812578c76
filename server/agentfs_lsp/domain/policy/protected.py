"""Files that are protected in every mode (docs/protocol.md#13-settings-and-policy).

Changes of files that run code or configure the editor or an agent require approval, and so do reads of
secrets. The files of version control systems and of the server itself are never accessed. `verdict.py`
evaluates the setting `protected`, which adds and removes files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from agentfs_lsp.domain.globs import FoldedGlobs, Spelled
from agentfs_lsp.domain.settings.rules import Permission


@dataclass(frozen=True, slots=True)
class Protection:
    """What reading and changing a protected file require, and the glob that protects it, as the user knows
    it. `as_written`: it matches the path itself, not only another spelling."""

    read: Permission
    change: Permission
    rule: str
    as_written: bool


DENIED = (".git/**", ".hg/**", ".svn/**", ".jj/**", ".sl/**", ".agentfs/**")

ASKED_FOR_EVERYTHING = (
    *(".env", ".env.*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", "id_ecdsa*", "id_dsa*"),
    *(".netrc", ".npmrc", ".pypirc", ".ssh/**"),
)

ASKED_FOR_CHANGES = (
    # Editors' settings, tasks, and scripts.
    *(".vscode/**", ".idea/**", ".zed/**", ".helix/**", ".vim/**", ".exrc", ".nvim.lua", ".nvimrc", ".vimrc"),
    # VS Code runs the initializeCommand of a development container on the host.
    *(".devcontainer/**", ".devcontainer.json"),
    *(".neoconf.json", ".nlsp-settings/**"),  # settings of language servers, this one's too
    *(".dir-locals*.el", "*.code-workspace", "*.sublime-project", ".vs/**", ".mcp.json"),
    # Tools that run what these name, some as soon as a folder is opened or entered.
    *(".envrc", "mise.toml", "mise.*.toml", ".mise.toml", ".mise.*.toml", ".mise/**", ".config/mise*/**"),
    *(".cargo/**", ".yarnrc", ".yarnrc.yml", ".yarn/**", ".pnpmfile.*", ".gdbinit", ".lldbinit"),
    # Agents' settings, with their permissions, hooks, and servers, beside rules and skills.
    *(".cursor/**", ".claude/**", ".codex/**", ".gemini/**", ".opencode/**", "opencode.json"),
    *("opencode.jsonc", ".agents/**", ".qwen/**", ".kiro/**", ".windsurf/**", ".continue/**", ".roo/**"),
    *(".amazonq/**", ".junie/**", ".aider.conf.yml", ".trae/**", ".kilocode/**", ".augment/**"),
    *(".factory/**", "crush.json", ".crush.json", ".roomodes", ".kilocodemodes", ".agent/**", ".amp/**"),
    ".openhands/**",
    # Instructions: AGENTS.override.md replaces AGENTS.md in Codex, CLAUDE.local.md joins CLAUDE.md in Claude
    # Code, and AGENT.md and .rules are Zed's other names. `.clinerules` is a file or a folder.
    *("AGENTS.md", "AGENTS.override.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md"),
    *("WARP.md", ".rules", ".cursorrules", ".windsurfrules", ".clinerules/**", ".roorules", ".goosehints"),
    *("CRUSH.md", ".augment-guidelines"),
    # GitHub Copilot's, in VS Code too: instructions, prompts, agents, skills, and hooks, which are commands.
    *(".github/copilot-instructions.md", ".github/instructions/**", ".github/prompts/**"),
    *(".github/chatmodes/**", ".github/agents/**", ".github/skills/**", ".github/hooks/**"),
    # What runs on a commit, or on a server after a push.
    *(".husky/**", "lefthook*", ".lefthook*/**", ".pre-commit-config.yaml"),
    *(".github/workflows/**", ".github/actions/**", ".gitlab-ci.yml", ".circleci/**", ".forgejo/**"),
    *(".gitea/**", ".buildkite/**", "Jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml"),
    # With a file HEAD, git takes the folder for a repository, and runs what its config says.
    *(".gitmodules", ".gitattributes", ".gitconfig", ".githooks/**", "HEAD", ".agentfs.toml"),
    # Installed code runs unseen, that of editors' extensions too; this server's own may be there.
    *(".venv/**", "venv/**", "site-packages/**", "dist-packages/**", "node_modules/**"),
    # Shells' start and end, where the home folder is the workspace.
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_aliases", ".bash_logout", ".profile"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout"),
)


@lru_cache(maxsize=1024)  # a request asks several times about a path
def protection_of(path: Spelled) -> Protection | None:
    """The strictest protection of a root-relative, resolved path, or None."""
    for read, change, globs in _strictest_first():
        rule = globs.match(path)
        if rule is not None:
            return Protection(read, change, rule, globs.match_as_written(path) is not None)
    return None


@cache
def _strictest_first() -> tuple[tuple[Permission, Permission, FoldedGlobs], ...]:
    return (
        ("deny", "deny", _at_any_depth(DENIED)),
        ("ask", "ask", _at_any_depth(ASKED_FOR_EVERYTHING)),
        ("allow", "ask", _at_any_depth(ASKED_FOR_CHANGES)),
    )


def _at_any_depth(globs: Iterable[str]) -> FoldedGlobs:
    """`X/**` also protects X itself, even if it is a file, such as a worktree's `.git`."""
    return FoldedGlobs({f"**/{glob.removesuffix('/**')}": glob for glob in globs})
