// node engine.js WEB_DIST: requests from standard input, replies to standard output, then exit.
//
// Both are one serialized TraceProcessorRpcStream. The engine cuts the stream into messages by
// itself, and replies that follow each other are again a stream, so no framing is added here.
//
// The bundle is made to be a browser's worker, so it runs in a context of its own that holds just
// what such a worker has. There is no `process` in it: with one, the bundle refuses to start.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const dist = process.argv[2];
const log = (...words) => process.stderr.write(`${words.join(' ')}\n`);

// Without this, node prints the line that threw, and the bundle is a single line.
process.on('uncaughtException', (error) => {
  log(error?.message ?? error);
  process.exit(1);
});

/** As much of a request as the bundle's synchronous read of its .wasm file takes. */
class XMLHttpRequest {
  open(_method, name) {
    this.file = path.join(dist, path.basename(name));
  }
  send() {
    this.response = fs.readFileSync(this.file);
  }
}

const worker = vm.createContext({
  console: { log, warn: log, error: log },
  location: { href: 'engine_bundle.js' },
  WorkerGlobalScope: Object,
  XMLHttpRequest, performance, setTimeout, TextDecoder, crypto,
});
worker.self = worker;
vm.runInContext(fs.readFileSync(path.join(dist, 'engine_bundle.js'), 'utf8'), worker);

const port = { postMessage: (reply) => process.stdout.write(Buffer.from(reply)) };
worker.onmessage({ data: port });

// The engine finishes starting in promise callbacks and does not say so; setImmediate runs after
// all of them. (Were it still too early, the request would throw.)
setImmediate(() => {
  // The bundle only takes an array of its own context's Uint8Array.
  const data = new (vm.runInContext('Uint8Array', worker))(fs.readFileSync(0));
  port.onmessage({ data });
});
