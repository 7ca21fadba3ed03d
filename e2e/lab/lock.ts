import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 100;

/** What to do while another process has the lock. */
interface Waiting {
  /** Called once, when the lock turns out to be taken. */
  readonly onWait?: () => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` while no other holder of the same lock file does. The lock is an exclusive transaction on an empty SQLite
 * database: an operating system lock, which Node cannot take otherwise. It is released when its process ends, even by
 * kill -9, so it can never be stale.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, waiting: Waiting = {}): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  try {
    if (!tryLock(database)) {
      waiting.onWait?.();
      do await setTimeout(RETRY_MS, undefined, { signal: waiting.signal });
      while (!tryLock(database));
    }
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
