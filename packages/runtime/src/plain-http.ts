/**
 * Node's HTTP. Not by import, which evaluates all that the module offers: among it is a WebSocket client that nobody here
 * needs, at 30 ms and 10 MB.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
