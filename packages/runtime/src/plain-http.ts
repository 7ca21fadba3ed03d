/**
 * Node's HTTP module. Not imported, because an import evaluates everything the module exports, including a WebSocket
 * client that nothing here uses: 30 ms and 10 MB.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
