/** Something the reader can put right: the message says what and how, so commands print it without a stack. */
export class LabError extends Error {
  override readonly name = 'LabError';
}
