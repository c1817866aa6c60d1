// The page's example operations are valid against the schema, so that nobody's first click is an error.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { buildSchema, parse, validate } from "graphql";

const examples = new URL("../src/examples/", import.meta.url);
const schema = buildSchema(readFileSync(new URL("../../../schema.graphqls", import.meta.url), "utf8"));

for (const name of readdirSync(examples)) {
  test(name, () => {
    const document = parse(readFileSync(new URL(name, examples), "utf8"));
    assert.deepEqual(validate(schema, document), []);
    assert.equal(document.definitions.length, 1, "one operation a tab, so that the run button asks nothing");
  });
}
