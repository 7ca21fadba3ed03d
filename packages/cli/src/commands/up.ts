import type { SignalSource } from '@karpenter-ts/runtime';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';

/** `source` is where Ctrl-C comes from. */
export function upCommand(io: Io, source: SignalSource = process): Command {
  return new Command('up')
    .description('Run a small Kubernetes cluster with simulated nodes in this process, until Ctrl-C.')
    .addOption(
      new Option('--port <number>', 'where to listen on 127.0.0.1; 0 is any free port').default(0).argParser(port),
    )
    .addOption(new Option('--nodes <number>', 'how many nodes to begin with').default(3).argParser(count))
    .option('--kubeconfig <file>', 'where to write how to reach it, and to remove it at the end; must not exist')
    .action(async (flags: { readonly port: number; readonly nodes: number; readonly kubeconfig?: string }) => {
      const { runCluster } = await import('../up/session.ts'); // two hundred files that no other command needs
      await runCluster(flags, io, source);
    });
}

function port(text: string): number {
  return whole(text, 65_535);
}

function count(text: string): number {
  return whole(text, 5_000);
}

function whole(text: string, max: number): number {
  if (/^\d+$/.test(text) && Number(text) <= max) return Number(text);
  throw new InvalidArgumentError(`must be a whole number from 0 to ${max}`);
}
