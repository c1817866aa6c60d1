// The page's example operations are valid against the schema, so that nobody's first click is an error.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";
import { buildSchema, parse, validate } from "graphql";

const examples = new URL("../src/examples/", import.meta.url);
const schema = buildSchema(readFileSync(new URL("../../../schema.graphqls", import.meta.url), "utf8"));

for (const name of readdirSync(examples)) {
  const text = readFileSync(new URL(name, examples), "utf8");
  test(name, () => {
    const document = parse(text);
    assert.deepEqual(validate(schema, document), []);
    assert.equal(document.definitions.length, 1, "one operation a tab, so that the run button asks nothing");
  });

  test(`${name} in each mode`, () => {
    const comments = text.split("\n").filter((line) => line.startsWith("#"));
    const jwt = comments.filter((line) => !line.startsWith("#dev")).join("\n");
    assert.match(jwt, /token .*Headers/s, "there is none to begin with");
    assert.doesNotMatch(jwt, /dev:|sign alice in/);
    const dev = comments.filter((line) => !line.startsWith("#jwt")).join("\n");
    assert.doesNotMatch(dev, /paste a token/);
  });
}
