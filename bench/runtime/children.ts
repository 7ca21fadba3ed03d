import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a script of this folder in a process of its own, with a channel for messages. */
export function startChild(script: string, args: readonly string[], flags: readonly string[] = []): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const env = { ...process.env, KARPENTER_FREEZE: '0' }; // freezing is for tests; production does not
  return spawn(process.execPath, [...flags, path, ...args], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** The next message; rejects if the process ends before. */
export async function messageFrom<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`child ended with code ${code}`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message as T;
}

/** Ends it and waits until it is gone. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** An API server of so many pods in a process of its own. */
export async function startPodServer(pods: number, streamsLists = true): Promise<{ child: ChildProcess; url: string }> {
  const child = startChild('./pod-server.ts', [String(pods), String(streamsLists)]);
  const { url } = await messageFrom<{ url: string }>(child);
  return { child, url };
}

/** What a script reports of its own accord. */
export async function measureInChild<T>(script: string): Promise<T> {
  const child = startChild(script, []);
  try {
    return await messageFrom<T>(child);
  } finally {
    await stopChild(child);
  }
}
