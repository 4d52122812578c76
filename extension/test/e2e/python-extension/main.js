// The part of the Python extension's API that others ask for the selected interpreter. It works in any workspace, so
// that a test sees whether it is asked, not whether it is there.

const { Uri } = require("vscode");

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ id: "selected", path: process.env.AGENTFS_TEST_PYTHON }),
    resolveEnvironment: async ({ path }) => ({ executable: { uri: Uri.file(path) } }),
  },
});
