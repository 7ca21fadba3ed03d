import { Command } from 'commander';
import type { Io } from '../io.ts';

export function dumpCommand(io: Io): Command {
  return new Command('dump')
    .description('Write what a cluster consists of to a file for karpenter plan --from. Needs read rights only.')
    .option('--catalogue <source>', 'the instance types and prices: ec2, kwok, or a file that has them')
    .action(async ({ catalogue }: { readonly catalogue?: string }) => {
      const { runDump } = await import('../dump/run-dump.ts');
      await runDump(catalogue, io, process.env);
    });
}
