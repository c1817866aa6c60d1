// Serves the page and the library as they are, and passes /graphql on to the server: browsers reach the API from
// its own origin only. A real site has a reverse proxy for that.
import { createReadStream } from "node:fs";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const api = new URL(process.env.ROLLCALL_URL || "http://127.0.0.1:8080");
const port = Number(process.env.PORT ?? 8090);
const library = new URL("../../web/client/dist/", import.meta.url); // `make web` builds it
/** @type {Record<string, string>} */
const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };

/** @param {string} path */
function fileAt(path) {
  const script = /^\/client(\/[\w-]+\.js)$/.exec(path)?.[1];
  if (script) return new URL(`.${script}`, library);
  if (path === "/" || path === "/online.mjs")
    return new URL(path === "/" ? "index.html" : "online.mjs", import.meta.url);
  return undefined;
}

const server = createServer((incoming, outgoing) => {
  const { pathname } = new URL(incoming.url ?? "/", "http://localhost");
  if (pathname === "/graphql") {
    const { method = "GET", headers } = incoming;
    const passed = request(new URL(incoming.url ?? "/", api), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.headersSent || outgoing.writeHead(502).end());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
    return;
  }
  const file = fileAt(pathname);
  if (!file) return void outgoing.writeHead(404).end();
  createReadStream(file)
    .on("open", () => outgoing.writeHead(200, { "Content-Type": types[extname(fileURLToPath(file))] }))
    .on("error", () => outgoing.headersSent || outgoing.writeHead(404).end())
    .pipe(outgoing);
});

// A WebSocket's handshake goes on as it came, Host and Origin included.
server.on("upgrade", (incoming, socket, head) => {
  const target = connect(Number(api.port || 80), api.hostname, () => {
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
      lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
    }
    target.write(`${lines.join("\r\n")}\r\n\r\n`);
    target.write(head);
    target.pipe(socket).pipe(target);
  });
  target.on("error", () => socket.destroy());
  socket.on("error", () => target.destroy());
});

server.listen(port, "127.0.0.1", () => {
  const address = server.address();
  const taken = typeof address === "object" && address ? address.port : port;
  console.log(`http://127.0.0.1:${taken}/?user=alice, over ${api.origin}`);
});
