import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeserializeHandlerArguments, DeserializeMiddleware, HttpResponse } from '@smithy/types';
import { sliceAnswer } from './xml-slices.ts';

/** The answer stops in the middle, though the connection did not break. The SDK tries again after it. */
class IncompleteAnswerError extends Error {
  override readonly name = 'IncompleteAnswerError';
  readonly $retryable = {};

  constructor() {
    super('the answer is incomplete');
  }
}

/** What is still to be parsed of an answer; handed from the middleware above the SDK's parser to the one below it. */
interface Remaining {
  response: HttpResponse | undefined;
  slices: string[];
}

type SlicedArguments = DeserializeHandlerArguments<object> & { readonly remaining?: Remaining };

/** A shorter answer takes a millisecond or two, and is parsed at once. */
const LONG_ANSWER = 16 * 1024;

/** Lets one piece of work after the other have a turn of the event loop to itself: several listings run at the same time. */
export class ParsingTurns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves at the beginning of a turn that nobody else has been given. */
  next(): Promise<void> {
    const turn = this.#last.then(() => nextTurn());
    this.#last = turn;
    return turn;
  }
}

/** Middleware of the first two kinds must stand on either side of the SDK's parser; the third below one that needs no slices. */
export const slicedParsing = { above: parseSlices, below: sliceResponse, inTurn: parseInTurn };

/** Lets the SDK's parser work on one slice of a long answer after the other, with turns of the event loop in between. */
function parseSlices(turns: ParsingTurns): DeserializeMiddleware<object, object> {
  return (next) => async (args) => {
    const remaining: Remaining = { response: undefined, slices: [] };
    const sliced: SlicedArguments = { ...args, remaining };
    const first = await next(sliced);
    const outputs = [first.output];
    while (remaining.slices.length > 0) {
      await turns.next();
      outputs.push((await next(sliced)).output);
    }
    return outputs.length === 1 ? first : { response: first.response, output: joined(outputs) };
  };
}

/** Hands the parser the first slice of the answer, then the others without asking AWS again. */
function sliceResponse(turns: ParsingTurns): DeserializeMiddleware<object, object> {
  return (next) => async (args) => {
    const { remaining } = args as SlicedArguments;
    if (remaining?.response !== undefined) {
      return { response: { ...remaining.response, body: Buffer.from(remaining.slices.shift()!) } };
    }
    const result = await next(args);
    const response = result.response as HttpResponse;
    const { statusCode, body } = response;
    if (statusCode >= 300 || !(body instanceof Uint8Array)) return result;
    if (body.length >= LONG_ANSWER) await turns.next();
    const xml = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
    if (!isComplete(xml)) throw new IncompleteAnswerError();
    const slices = sliceAnswer(xml);
    if (slices === undefined || remaining === undefined) return result;
    const [first, ...others] = slices;
    remaining.response = { ...response, body: undefined };
    remaining.slices = others;
    return { ...result, response: { ...response, body: Buffer.from(first!) } };
  };
}

/** Answers in JSON are parsed quickly, but whole. */
function parseInTurn(turns: ParsingTurns): DeserializeMiddleware<object, object> {
  return (next) => async (args) => {
    const result = await next(args);
    const { body } = result.response as HttpResponse;
    if (body instanceof Uint8Array && body.length >= LONG_ANSWER) await turns.next();
    return result;
  };
}

/** Whether the outermost element is closed: the SDK's parser takes what is cut off for empty. */
function isComplete(xml: string): boolean {
  const root = /^\s*(?:<\?[^>]*>\s*)?<([\w:.-]+)/.exec(xml)?.[1];
  return root === undefined || xml.trimEnd().endsWith(`</${root}>`) || xml.trimEnd().endsWith('/>');
}

/** Lists are put together; everything else is the same in all slices. */
function joined(outputs: readonly (object | undefined)[]): object {
  const result: Record<string, unknown> = { ...outputs[0] };
  for (const [key, value] of Object.entries(result)) {
    if (Array.isArray(value))
      result[key] = outputs.flatMap((output) => (output as Record<string, unknown[]>)[key] ?? []);
  }
  return result;
}
