// For tests and benches of every package.
export { type Random, seededRandom } from './random.ts';
