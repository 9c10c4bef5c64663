// Asks `overlane mcp` the questions of a table with the client of @modelcontextprotocol/sdk, which
// also checks every message and every document that has a schema.
//
// Usage: node ask.mjs OVERLANE ROOT QUESTIONS.json [--show NUMBER]
//
// A row of the table has the question in plain words, the tool and its arguments, and what must hold
// of the answer: `facts` (JSON pointers into the document with the expected value, {"matches":
// REGEX}, {"length": N}, {"at_least": N}, {"at_most": N} or {"absent": true}), `text` (a
// regular expression for the text), and for a failed call `error` (one for its text). In a pointer,
// a part such as traffic=bulk&variant=ipip names the first item of a list with these members. Equal
// calls are made once. A blank in an expected text also stands for the end of a line, because lines
// are as long as the paths in them make them. --show prints an answer instead.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const kMinQuestions = 50;
const kTools = ["explain", "check", "trace", "run", "migrate", "overlap"];
const kParallel = 4;

const [program, root, file, show, number] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(file, "utf8"));

function valueAt(document, pointer) {
  return pointer.split("/").slice(1).reduce((value, written) => {
    const part = written.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!Array.isArray(value) || !part.includes("=")) return value?.[part];
    const wanted = part.split("&").map((one) => one.split(/=(.*)/s));
    return value.find((item) => wanted.every(([name, text]) => String(item[name]) === text));
  }, document);
}

function holds(actual, expected) {
  if (expected === null || typeof expected !== "object" || Array.isArray(expected))
    return assert.deepEqual(actual, expected);
  const [[rule, value]] = Object.entries(expected);
  if (rule === "matches") return assert.match(String(actual), new RegExp(value, "s"));
  if (rule === "length") return assert.equal(actual?.length, value);
  if (rule === "at_least") return assert.ok(actual >= value, `${actual} is below ${value}`);
  if (rule === "absent") return assert.equal(actual === undefined, value);
  if (rule === "at_most") return assert.ok(actual <= value, `${actual} is above ${value}`);
  throw new Error(`there is no rule ${rule}`);
}

function matchesText(text, expression) {
  assert.match(text.replace(/\s+/g, " "), new RegExp(expression, "s"));
}

async function connect() {
  const client = new Client({ name: "check-mcp", version: "1.0.0" });
  const transport = new StdioClientTransport({ command: program, args: ["mcp", "--root", root] });
  await client.connect(transport);
  return client;
}

function check(row, answer) {
  const text = answer.content[0].text;
  assert.equal(answer.content[0].type, "text");
  if (row.error !== undefined) {
    assert.equal(answer.isError, true, text);
    return matchesText(text, row.error);
  }
  assert.notEqual(answer.isError, true, text);
  const facts = Object.entries(row.facts);
  assert.ok(facts.length > 0, "the row asserts no fact");
  for (const [pointer, expected] of facts) {
    try {
      holds(valueAt(answer.structuredContent, pointer), expected);
    } catch (failure) {
      throw new Error(`${pointer}: ${failure.message}`);
    }
  }
  if (row.text !== undefined) matchesText(text, row.text);
}

async function askAll(client) {
  let failures = 0;
  const answers = new Map();
  const ask = ({ tool, arguments: given }) => {
    const key = JSON.stringify([tool, given]);
    if (!answers.has(key)) answers.set(key, client.callTool({ name: tool, arguments: given }));
    return answers.get(key);
  };
  const waiting = questions.entries();
  const askNext = async () => {
    for (const [index, row] of waiting) {
      try {
        check(row, await ask(row));
      } catch (failure) {
        ++failures;
        console.error(`${file}: question ${index + 1}: ${row.question}\n  ${failure.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: kParallel }, askNext));
  return failures;
}

async function checkTools(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), kTools);
  for (const tool of tools) {
    assert.equal(tool.annotations.readOnlyHint, true);
    assert.equal(tool.annotations.openWorldHint, false);
    for (const [name, property] of Object.entries(tool.inputSchema.properties))
      assert.ok(property.description?.length > 10, `${tool.name}: ${name} has no description`);
  }
}

async function checkResources(client) {
  const { resources } = await client.listResources();
  for (const { uri, mimeType } of resources) {
    const { contents } = await client.readResource({ uri });
    assert.ok(contents[0].text.length > 0, uri);
    if (mimeType.includes("json")) JSON.parse(contents[0].text);
  }
  const rule = await client.readResource({ uri: "overlane://rules/overlay-left-to-admission" });
  assert.match(rule.contents[0].text, /overlay/);
  await assert.rejects(client.readResource({ uri: "overlane://rules/none" }), /no resource/);
}

// A call that would take minutes is stopped, and the server goes on.
async function checkCancellation(client) {
  const stop = new AbortController();
  const call = client.callTool({ name: "migrate", arguments: {
    paths: ["shoot-aws-ipip"], to: "routed", nodes: 200, runs: 1000 } },
    undefined, { signal: stop.signal });
  setTimeout(() => stop.abort("enough"), 200);
  await assert.rejects(call, /enough/);
  await client.ping();
}

const client = await connect();
if (show === "--show") {
  const row = questions[Number(number) - 1];
  const answer = await client.callTool({ name: row.tool, arguments: row.arguments });
  console.log(answer.content[0].text);
  console.log(JSON.stringify(answer.structuredContent, null, 1));
  await client.close();
  process.exit(0);
}
assert.ok(questions.length >= kMinQuestions, `there are ${questions.length} questions only`);
assert.deepEqual(kTools.filter((tool) => !questions.some((row) => row.tool === tool)), []);
await checkTools(client);
await checkResources(client);
await checkCancellation(client);
const failures = await askAll(client);
await client.close();
console.log(`${questions.length - failures} of ${questions.length} questions have the expected answer`);
process.exit(failures === 0 ? 0 : 1);
