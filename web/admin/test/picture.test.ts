import { expect, test } from "vitest";
import { readSettings } from "../src/settings";
import { mayLoad } from "../src/ui/picture";

const origins = ["https://cdn.example", "http://10.0.0.7:9000"];

test.each([
  ["/avatars/ann.png", true],
  ["https://rollcall.example/ann.png", true],
  ["data:image/png;base64,AA", true],
  ["https://cdn.example/ann.png", true],
  ["https://CDN.example:443/ann.png", true],
  ["http://10.0.0.7:9000/ann.png", true],
  ["http://cdn.example/ann.png", false],
  ["https://cdn.example:8443/ann.png", false],
  ["https://cdn.example.evil.example/ann.png", false],
  ["https://cdn.example@evil.example/ann.png", false],
  ["//evil.example/ann.png", false],
  ["http://rollcall.example/ann.png", false],
  ["data:text/html,hi", false],
  ["javascript:alert(1)", false],
  ["https://", false],
])("%s: %s", (picture, expected) => {
  expect(mayLoad(picture, "https://rollcall.example/admin", origins)).toBe(expected);
});

test("without any origin set there are no foreign pictures", () => {
  expect(mayLoad("https://cdn.example/ann.png", "https://rollcall.example/admin", [])).toBe(false);
});

test.each([
  ["", { auth: "jwt", avatarOrigins: [] }],
  ["[]", { auth: "jwt", avatarOrigins: [] }],
  [`{"auth":"dev"}`, { auth: "dev", avatarOrigins: [] }],
  [`{"auth":"other","avatarOrigins":"https://cdn.example"}`, { auth: "jwt", avatarOrigins: [] }],
  [`{"auth":"jwt","avatarOrigins":["https://cdn.example",7]}`, { auth: "jwt", avatarOrigins: ["https://cdn.example"] }],
])("the settings in %s", (textContent, expected) => {
  expect(readSettings({ getElementById: () => ({ textContent }) } as unknown as Document)).toEqual(expected);
});
