import { processIo } from './io.ts';
import { main } from './main.ts';

await main(process.argv.slice(2), processIo());
