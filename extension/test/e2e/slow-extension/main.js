// Its activation holds up the command that accepts until the test removes the file AGENTFS_TEST_HOLD.

const { once } = require("node:events");
const { existsSync, watch, writeFileSync } = require("node:fs");
const path = require("node:path");

exports.activate = async () => {
  const { AGENTFS_TEST_HOLD: hold } = process.env;
  const changes = watch(path.dirname(hold));
  writeFileSync(`${hold}.begun`, "");
  while (existsSync(hold)) await once(changes, "change");
  changes.close();
};
