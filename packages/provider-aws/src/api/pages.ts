import type { AwsCall } from './aws-apis.ts';

/** The pages of a listing, each asked for when the one before has been read. */
export async function* pages<
  Input extends { NextToken?: string | undefined },
  Output extends { NextToken?: string | undefined },
>(call: AwsCall<Input, Output>, input: Input, signal: AbortSignal): AsyncGenerator<Output, void, undefined> {
  let token: string | undefined;
  do {
    const page = await call(token === undefined ? input : { ...input, NextToken: token }, signal);
    yield page;
    if (page.NextToken && page.NextToken === token) {
      throw new Error('the listing does not end: a page names itself as the next one');
    }
    token = page.NextToken || undefined; // EC2 ends some listings with an empty token
  } while (token !== undefined);
}
