// For tests and benches: a small API server with faults on demand, a logger that records, a clock that can be set,
// certificates.
export { AdjustableClock } from './adjustable-clock.ts';
export { CA, ROTATED_CA, SERVER } from './certificates.ts';
export { FixtureServer } from './fixture-server.ts';
export { NEVER } from './never.ts';
export { type RecordedLine, type RecordingLogger, recordingLogger } from './recording-logger.ts';
export { SilenceableTransport } from './silent-server.ts';
