// For tests and benches: a small API server that fails on demand, and a logger that remembers.
export { FixtureServer } from './fixture-server.ts';
export { NEVER } from './never.ts';
export { type RecordedLine, type RecordingLogger, recordingLogger } from './recording-logger.ts';
export { SilenceableTransport } from './silent-server.ts';
