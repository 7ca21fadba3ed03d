/**
 * The commands of a shell script as lists of words: quotes, escapes, continued lines and comments are understood,
 * variables are left as they are written. It knows nothing of blocks and here-documents: their lines read as commands.
 */
export function shellCommands(script: string): readonly (readonly string[])[] {
  const reader = new ShellReader(script);
  return reader.read();
}

/** The words of one line, as systemd splits the arguments of a service. */
export function shellWords(line: string): readonly string[] {
  return shellCommands(line.replaceAll('\n', ' ')).flat();
}

class ShellReader {
  readonly #script: string;
  readonly #commands: string[][] = [];
  #words: string[] = [];
  /** Undefined between words: a word may be empty when it is quoted. */
  #word: string | undefined;
  #at = 0;

  constructor(script: string) {
    this.#script = script;
  }

  read(): readonly (readonly string[])[] {
    while (this.#at < this.#script.length) this.#step(this.#script[this.#at++]!);
    this.#endCommand();
    return this.#commands;
  }

  #step(char: string): void {
    if (char === '\\') this.#escape();
    else if (char === "'") this.#word = (this.#word ?? '') + this.#until("'");
    else if (char === '"') this.#doubleQuoted();
    else if (char === '#' && this.#word === undefined) this.#until('\n', { keep: true });
    else if ('\n;&|'.includes(char)) this.#endCommand();
    else if (/\s/.test(char)) this.#endWord();
    else this.#word = (this.#word ?? '') + char;
  }

  /** A backslash before the end of a line joins the next line to it. */
  #escape(): void {
    const next = this.#script[this.#at++];
    if (next !== undefined && next !== '\n') this.#word = (this.#word ?? '') + next;
  }

  #doubleQuoted(): void {
    this.#word ??= '';
    while (this.#at < this.#script.length) {
      const char = this.#script[this.#at++]!;
      if (char === '"') return;
      const escaped = char === '\\' ? this.#script[this.#at] : undefined;
      if (escaped !== undefined && '"\\$`\n'.includes(escaped)) {
        this.#at++;
        this.#word += escaped === '\n' ? '' : escaped;
      } else {
        this.#word += char;
      }
    }
  }

  /** The text up to this character, or to the end. The character is gone over unless it is kept. */
  #until(end: string, { keep = false } = {}): string {
    const found = this.#script.indexOf(end, this.#at);
    const stop = found === -1 ? this.#script.length : found;
    const text = this.#script.slice(this.#at, stop);
    this.#at = stop + (keep ? 0 : 1);
    return text;
  }

  #endWord(): void {
    if (this.#word !== undefined) this.#words.push(this.#word);
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#words.length > 0) this.#commands.push(this.#words);
    this.#words = [];
  }
}
