"""What an agent may do with a file: each row is a path and its protection in every spelling."""

import pytest

from agentfs_lsp.domain.policy.protected import ASKED_FOR_CHANGES, ASKED_FOR_EVERYTHING, DENIED
from agentfs_lsp.domain.policy.verdict import Policy, Verdict
from agentfs_lsp.domain.settings.rules import OPERATIONS
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import Settings

ROOT = "/home/u/app"
STATE = "/home/u/.local/state/agentfs-lsp"
POLICY = Policy(Settings(), [STATE, "/run/user/1000/agentfs-lsp"])
MODES: tuple[Mode, ...] = ("manual", "auto_edit")

DENIED_PATHS = {
    ".git/**": [
        ".git",  # a worktree's is a file
        ".git/config",
        ".git/hooks/pre-commit",
        "sub/.git/hooks/x",
        "a/b/c/.git",
        ".GIT/config",
        ".Git",
        ".git /config",
        ".git./config",
        ".git. . /config",
        ".git..",
        ".g\u200cit/config",
        ".gi\u200dt",
        "\ufeff.git/config",
        ".g\u034fit",
        ".git\u00ad/config",
        ".gi\ufe0ft",
        ".gi\U000e0074t",
        ".git::$INDEX_ALLOCATION/config",
        ".git:stream",
        ".GIT :x/config",
        "\uff0egit/config",
        "．ＧＩＴ/config",
        ".ｇⅰt/config",
        ".\u24d6it",
        "GIT~1/config",
        "git~1",
        "sub/Git~4/hooks/x",
        "GIT~1 /config",
        "GIT~1::$INDEX_ALLOCATION/config",
        "GIT~12",
        ".git\u00a0/config",
        ".git：x",
        ".git/.env",
        ".git/../.git/config",
        "a\nb/.git/config",
    ],
    ".hg/**": [".hg/hgrc", ".HG", "HG~1/hgrc", "x/.hg./y"],
    ".svn/**": [".svn/entries", ".Svn/x", "SVN~1", "．svn"],
    ".jj/**": [".jj/repo", "sub/.JJ", "JJ~1/x"],
    ".sl/**": [".sl/config", "a/.SL"],
    ".agentfs/**": [".agentfs", ".agentfs/review/1.diff", "AGENTF~1/review", ".agent\uff46s/x"],
}
SECRET_PATHS = {
    ".env": [
        ".env",
        "api/.env",
        ".ENV",
        ".env.",
        ".env ",
        ".env:$DATA",
        ".e\u200bnv",
        "ENV~1",
        ".ｅnv",
        ".env/x",
    ],
    ".env.*": [".env.local", ".env.example", "a/.Env.Production", "ENV~1.LOC", ".env.a.b", ".env.\ud800"],
    "*.pem": ["x.pem", "certs/server.PEM", ".pem", "x.pem.", "X.PEM::$DATA", "MY-SER~1.PEM", "x.ｐem"],
    "*.key": ["x.key", "tls/a.b.KEY", "x.key ", "x.K\u200dey", "x.\u212aey"],
    "id_rsa*": [
        "id_rsa",
        "ID_RSA.pub",
        "id_rsa_work",
        "id_rsa\u0301",
        "id_r\u017fa",
        "ID_RS~10",
    ],
    "id_ed25519*": ["id_ed25519", "id_ed25519.pub", "ID_ED2~1", "ID_ED2~1.PUB"],
    "id_ecdsa*": ["id_ecdsa", "id_ecdsa_sk.pub", "Id_Ecdsa"],
    "id_dsa*": ["id_dsa", "keys/id_dsa.old"],
    ".ssh/**": [".ssh/config", ".ssh/id_rsa"],
    ".netrc": [".netrc", "NETRC~1", ".NetRC"],
    ".npmrc": [".npmrc", "packages/a/.npmrc", "NPMRC~1"],
    ".pypirc": [".pypirc", "PYPIRC~1", ".pypirc."],
}
GUARDED_PATHS = {
    ".vscode/**": [".vscode", ".vscode/settings.json", "a/.VSCode/tasks.json", "VSCODE~1/tasks.json"],
    ".idea/**": [".idea/workspace.xml", "IDEA~1/x"],
    ".zed/**": [".zed/settings.json"],
    ".helix/**": [".helix/languages.toml", ".Helix /config.toml"],
    ".vim/**": [".vim/vimrc", "VIM~1/x"],
    ".exrc": [".exrc", "a/.EXRC"],
    ".nvim.lua": [".nvim.lua", "NVIM~1.LUA", ".nvim.lua:x"],
    ".nvimrc": [".nvimrc", "a/.NvimRC"],
    ".devcontainer/**": [".devcontainer/devcontainer.json", ".devcontainer/a/Dockerfile", "DEVCON~1/x"],
    ".devcontainer.json": [".devcontainer.json", "a/.DevContainer.JSON"],
    ".vimrc": [".vimrc", "VIMRC~1"],
    ".dir-locals*.el": [".dir-locals.el", ".dir-locals-2.el", "a/.DIR-locals.EL", "DIR-LO~1.EL"],
    "*.code-workspace": ["foo.code-workspace", ".code-workspace", "a/B.Code-Workspace", "FOO~1.COD"],
    "*.sublime-project": ["x.sublime-project", "X~1.SUB"],
    ".envrc": [".envrc", "a/.EnvRC", "ENVRC~1"],
    ".mcp.json": [".mcp.json", "MCP~1.JSO"],
    ".cursor/**": [".cursor/mcp.json", ".cursor"],
    ".claude/**": [".claude/settings.json", "x/.Claude/agents/a.md"],
    ".codex/**": [".codex/config.toml", "a/.Codex"],
    ".gemini/**": [".gemini/settings.json"],
    ".opencode/**": [".opencode/agent/a.md", "OPENCO~1/agent/a.md"],
    "opencode.json": ["opencode.json", "a/OpenCode.json"],
    "opencode.jsonc": ["opencode.jsonc"],
    ".agents/**": [".agents/skills/a/SKILL.md", ".agents"],
    ".qwen/**": [".qwen/settings.json"],
    ".kiro/**": [".kiro/steering/a.md", ".kiro/hooks/a.kiro.hook"],
    ".windsurf/**": [".windsurf/rules/a.md"],
    ".continue/**": [".continue/rules/a.md"],
    ".roo/**": [".roo/mcp.json"],
    ".amazonq/**": [".amazonq/rules/a.md"],
    ".junie/**": [".junie/guidelines.md"],
    ".aider.conf.yml": [".aider.conf.yml", "a/.AIDER.conf.yml"],
    "AGENTS.override.md": ["AGENTS.override.md", "a/agents.Override.md"],
    "AGENT.md": ["AGENT.md", "a/agent.md"],
    "CLAUDE.local.md": ["CLAUDE.local.md", "a/claude.LOCAL.md"],
    "QWEN.md": ["QWEN.md"],
    ".rules": [".rules", "a/.Rules"],
    ".cursorrules": [".cursorrules", "CURSOR~1"],
    ".windsurfrules": [".windsurfrules"],
    ".clinerules/**": [".clinerules", ".clinerules/a.md"],
    ".roorules": [".roorules"],
    ".goosehints": [".goosehints", "a/.goosehints"],
    ".github/copilot-instructions.md": [".github/copilot-instructions.md", ".GitHub/Copilot-Instructions.md"],
    ".github/instructions/**": [".github/instructions/a.instructions.md"],
    ".github/prompts/**": [".github/prompts/a.prompt.md"],
    ".github/chatmodes/**": [".github/chatmodes/a.chatmode.md"],
    ".github/skills/**": [".github/skills/a/SKILL.md"],
    ".github/hooks/**": [".github/hooks/a.json"],
    ".github/agents/**": [".github/agents/a.agent.md"],
    "AGENTS.md": ["AGENTS.md", "docs/agents.md", "Agents.MD", "AGENTS.md."],
    "CLAUDE.md": ["CLAUDE.md", "a/claude.md"],
    "GEMINI.md": ["GEMINI.md", "gemini.md"],
    ".github/workflows/**": [
        ".github/workflows/ci.yml",
        ".github/workflows",
        "sub/.GitHub/Workflows/x",
        ".github/WORKFL~1/ci.yml",
        "GITHUB~1/workflows/ci.yml",
        "GITHUB~1/WORKFL~1/ci.yml",
        ".github./workflows /ci.yml",
    ],
    ".gitlab-ci.yml": [".gitlab-ci.yml", "GITLAB~1.YML", ".GitLab-CI.yml"],
    ".husky/**": [".husky/pre-commit"],
    ".githooks/**": [".githooks/pre-commit", "GITHOO~1/pre-commit", "GI7D29~1", "GI7EBA~1"],
    "HEAD": ["HEAD", "docs/HEAD", "head"],
    ".pre-commit-config.yaml": [".pre-commit-config.yaml", "PRE-CO~1.YAM"],
    ".gitmodules": [".gitmodules", "GITMOD~1", ".gitmodules "],
    # 8.3 hashes are not distinguished: .gitmodules is GI7EBA~1.
    ".gitattributes": [".gitattributes", "src/.GITattributes", "GITATT~1"],
    ".neoconf.json": [".neoconf.json"],
    ".nlsp-settings/**": [".nlsp-settings/agentfs.json"],
    ".trae/**": [".trae/rules/a.md"],
    ".kilocode/**": [".kilocode/mcp.json"],
    ".augment/**": [".augment/rules/a.md"],
    ".factory/**": [".factory/droids/a.md"],
    "crush.json": ["crush.json"],
    ".crush.json": [".crush.json"],
    ".roomodes": [".roomodes"],
    ".kilocodemodes": [".kilocodemodes"],
    ".agent/**": [".agent/rules/a.md"],
    ".amp/**": [".amp/settings.json"],
    ".openhands/**": [".openhands/setup.sh"],
    "CRUSH.md": ["CRUSH.md", "crush.md"],
    ".augment-guidelines": [".augment-guidelines"],
    ".vs/**": [".vs/tasks.vs.json"],
    "mise.toml": ["mise.toml"],
    "mise.*.toml": ["mise.local.toml"],
    ".mise.toml": [".mise.toml"],
    ".mise.*.toml": [".mise.local.toml"],
    ".mise/**": [".mise/config.toml"],
    ".config/mise*/**": [".config/mise.toml", ".config/mise/conf.d/a.toml"],
    ".yarnrc": [".yarnrc"],
    ".pnpmfile.*": [".pnpmfile.cjs"],
    ".cargo/**": [".cargo/config.toml"],
    ".yarnrc.yml": [".yarnrc.yml"],
    ".yarn/**": [".yarn/releases/yarn.cjs"],
    ".gdbinit": [".gdbinit"],
    ".lldbinit": [".lldbinit"],
    ".github/actions/**": [".github/actions/build/action.yml"],
    ".circleci/**": [".circleci/config.yml"],
    ".forgejo/**": [".forgejo/workflows/ci.yml"],
    ".gitea/**": [".gitea/workflows/ci.yml"],
    ".buildkite/**": [".buildkite/pipeline.yml"],
    "Jenkinsfile": ["Jenkinsfile"],
    "azure-pipelines.yml": ["azure-pipelines.yml"],
    "bitbucket-pipelines.yml": ["bitbucket-pipelines.yml"],
    "WARP.md": ["WARP.md", "warp.md"],
    "lefthook*": ["lefthook.yml", "lefthook-local.yml", "lefthook.toml"],
    ".lefthook*/**": [".lefthook.yml", ".lefthook/pre-commit/a.sh"],
    ".gitconfig": [".gitconfig"],
    ".venv/**": [".venv/bin/activate", ".venv/pyvenv.cfg", ".VENV/x"],
    "venv/**": ["venv/bin/python"],
    "node_modules/**": ["node_modules/eslint/index.js"],
    "site-packages/**": ["env/lib/python3.11/site-packages/a.pth"],
    "dist-packages/**": ["lib/dist-packages/a.py"],
    ".bashrc": [".bashrc"],
    ".bash_profile": [".bash_profile"],
    ".bash_login": [".bash_login"],
    ".bash_aliases": [".bash_aliases"],
    ".bash_logout": [".bash_logout"],
    ".profile": [".profile"],
    ".zshrc": [".zshrc"],
    ".zshenv": [".zshenv"],
    ".zprofile": [".zprofile"],
    ".zlogin": [".zlogin"],
    ".zlogout": [".zlogout"],
    ".agentfs.toml": [".agentfs.toml", "AGENTF~1.TOM", "AGENT~10.TOM"],
}
FREE_PATHS = [
    "a.py",
    "src/a.py",
    "git/config",
    ".git\n/config",
    "a.git/config",
    ".gitlab",
    ".gitlab/x",
    ".gitignore",
    ".gitkeep",
    ".git-blame-ignore-revs",
    ".github/ISSUE_TEMPLATE.md",
    ".github/dependabot.yml",
    "workflows/ci.yml",
    "environment.py",
    "ENVIRO~1.PY",
    "env",
    "my.env.py",
    "prod.env",
    "a.envrc",
    "idrsa",
    "my_id_rsa",
    "keys.py",
    "x.keys",
    "monkey",
    "pem",
    "x.pem.py",
    "x.pem.txt",
    "vscode/settings.json",
    "AGENTS.mdx",
    "AGENTS.override.mdx",
    "rules",
    "a.rules",
    "agents/a.md",
    "devcontainer.json",
    ".github/copilot.md",
    "MY_AGENTS.md",
    "agents",
    "claude/settings.json",
    "hg/x",
    "dir-locals.el",
    "code-workspace",
    "gitmodules",
    "git~",
    "GIT~x/config",
    "GI250A~12",
    "GIT~1x/config",
    "LEGIT~1/config",
    "digit~1",
    "a~1/b",
    "netrc",
    "mcp.json",
    "agentfs/x",
    "state/agentfs-lsp/x",
    "目录/文件.py",
    "a\udc80.py",
    "a:b",
    "...",
    "",
]

ROWS = [
    (path, rule, *guard)
    for table, guard in (
        (DENIED_PATHS, ("deny", "deny")),
        (SECRET_PATHS, ("ask", "ask")),
        (GUARDED_PATHS, (None, "ask")),
    )
    for rule, paths in table.items()
    for path in paths
] + [(path, None, None, None) for path in FREE_PATHS]


@pytest.mark.parametrize(("path", "rule", "read", "change"), ROWS)
def test_every_spelling_gets_its_verdict(path, rule, read, change) -> None:  # type: ignore[no-untyped-def]
    for mode in MODES:
        for operation in OPERATIONS:
            decision = read if operation == "read" else change
            by_mode = Verdict("ask" if operation != "read" and mode == "manual" else "allow", "mode")
            wanted = Verdict(decision, "protected", rule) if decision else by_mode
            assert POLICY.judge(operation, path, root=ROOT, mode=mode) == wanted


def test_the_table_has_every_protected_glob() -> None:
    assert set(DENIED_PATHS) == set(DENIED)
    assert set(SECRET_PATHS) == set(ASKED_FOR_EVERYTHING)
    assert set(GUARDED_PATHS) == set(ASKED_FOR_CHANGES)


@pytest.mark.parametrize(
    ("root", "relative", "folder"),
    [
        ("/home/u", ".local/state/agentfs-lsp/history.db", STATE),
        ("/home/u/", ".local/state/AGENTFS-LSP/x", STATE),
        ("/", "home/u/.local/state/agentfs-lsp", STATE),
        (STATE, "history.db", STATE),
        (f"{STATE}/sub", "x", STATE),
        ("/run/user/1000", "agentfs-lsp/socket", "/run/user/1000/agentfs-lsp"),
    ],
)
def test_the_servers_own_folders_are_denied_for_any_root(root: str, relative: str, folder: str) -> None:
    for operation in OPERATIONS:
        verdict = POLICY.judge(operation, relative, root=root, mode="auto_edit")
        assert verdict == Verdict("deny", "own", f"{folder}/**")


@pytest.mark.parametrize("relative", [".local/state/agentfs-lsp2/x", ".local/state/x", "agentfs-lsp/x"])
def test_files_beside_the_servers_own_folders_are_allowed(relative: str) -> None:
    assert POLICY.judge("edit", relative, root="/home/u", mode="auto_edit").decision == "allow"


def test_policy_that_is_wrong_somewhere_makes_everything_asked() -> None:
    policy = Policy(Settings(faulty=("rules", "protected")), [STATE])
    for operation in OPERATIONS:
        verdict = policy.judge(operation, "src/a.py", root=ROOT, mode="auto_edit")
        assert verdict == Verdict("ask", "fault", "rules")
    assert policy.judge("read", ".git/config", root=ROOT, mode="manual").decision == "deny"
    assert policy.judge("read", ".env", root=ROOT, mode="manual").rule == ".env"
