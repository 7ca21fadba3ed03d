/** An error that the user can fix: its message says how, and commands print it without a stack. */
export class LabError extends Error {
  override readonly name = 'LabError';
}
