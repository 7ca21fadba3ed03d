import type { AwsCall } from './aws-apis.ts';

/** The pages of a listing, each asked for when the one before has been read. Throws at a page that was there before. */
export async function* pages<
  Input extends { NextToken?: string | undefined },
  Output extends { NextToken?: string | undefined },
>(call: AwsCall<Input, Output>, input: Input, signal: AbortSignal): AsyncGenerator<Output, void, undefined> {
  const read = new Set<string>();
  let token: string | undefined;
  do {
    const page = await call(token === undefined ? input : { ...input, NextToken: token }, signal);
    yield page;
    token = page.NextToken || undefined; // EC2 ends some listings with an empty token
    if (token !== undefined && read.has(token)) {
      throw new Error('the listing does not end: a page names one as the next that was read before');
    }
    if (token !== undefined) read.add(token);
  } while (token !== undefined);
}
