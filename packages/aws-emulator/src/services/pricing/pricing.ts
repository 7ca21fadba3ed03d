import type { Filter, GetProductsRequest, GetProductsResponse } from '@aws-sdk/client-pricing';
import { ApiError } from '../../wire/api-error.ts';
import { jsonProtocol } from '../../wire/json-protocol.ts';
import type { Answer } from '../../wire/operation.ts';
import type { Service, ServiceDeps } from '../service.ts';
import { listEntry, type Product, productsOf } from './products.ts';

export interface PricingLevers {
  /** Sets what a type costs an hour in a region, with Linux on shared hardware. */
  setPrice(region: string, instanceType: string, price: number): void;
}

const LARGEST_PAGE = 100;
const MATCHES: ReadonlySet<string> = new Set(['TERM_MATCH', 'EQUALS']);

/**
 * The price list of EC2, for all regions alike, whichever of its endpoints is asked. With `types`, of these instance types
 * only.
 */
export function createPricing(
  { clock }: ServiceDeps,
  types?: readonly string[],
): { readonly service: Service; readonly levers: PricingLevers } {
  const changes = new Map<string, Map<string, number>>();
  const lists = new Map<string, readonly Product[]>();
  const listOf = (region: string): readonly Product[] => {
    let list = lists.get(region);
    if (list === undefined) lists.set(region, (list = productsOf(region, changes.get(region) ?? new Map(), types)));
    return list;
  };
  const service: Service = {
    name: 'pricing',
    protocol: jsonProtocol('1.1'),
    handlers: {
      GetProducts: (input: GetProductsRequest): Answer<GetProductsResponse> => {
        const { ServiceCode, Filters = [], MaxResults = LARGEST_PAGE, NextToken } = input;
        if (ServiceCode !== 'AmazonEC2') throw invalid(`Invalid ServiceCode: ${ServiceCode}`);
        if (MaxResults < 1 || MaxResults > LARGEST_PAGE) throw invalid(`MaxResults is between 1 and ${LARGEST_PAGE}`);
        const region = Filters.find(({ Field }) => Field?.toLowerCase() === 'regioncode')?.Value;
        if (region === undefined)
          throw invalid('the emulator lists the prices of one region at a time: filter by regionCode');
        const found = listOf(region).filter((product) => Filters.every((filter) => matches(product, filter)));
        const start = startOf(NextToken);
        const end = start + MaxResults;
        const now = new Date(clock.now()).toISOString();
        return {
          FormatVersion: 'aws_v1',
          PriceList: found.slice(start, end).map((product) => listEntry(product, now)),
          ...(end < found.length && { NextToken: Buffer.from(`at ${end}`).toString('base64') }),
        };
      },
    },
  };
  const setPrice: PricingLevers['setPrice'] = (region, instanceType, price) => {
    changes.set(region, (changes.get(region) ?? new Map<string, number>()).set(instanceType, price));
    lists.delete(region);
  };
  return { service, levers: { setPrice } };
}

/** The names of attributes are the same in any letter case; a product without the attribute does not match. */
function matches({ family, attributes }: Product, { Type = 'TERM_MATCH', Field = '', Value }: Filter): boolean {
  if (!MATCHES.has(Type)) throw invalid(`the emulator does not know filters of type ${Type}`);
  const wanted = Field.toLowerCase();
  if (wanted === 'productfamily') return family === Value;
  return Object.entries(attributes).some(([name, value]) => name.toLowerCase() === wanted && value === Value);
}

function startOf(token: string | undefined): number {
  if (token === undefined) return 0;
  const [, start] = /^at (\d+)$/.exec(Buffer.from(token, 'base64').toString()) ?? [];
  if (start === undefined)
    throw new ApiError(
      'InvalidNextTokenException',
      'The pagination token is invalid. Try again without a pagination token.',
    );
  return Number(start);
}

function invalid(message: string): ApiError {
  return new ApiError('InvalidParameterException', message);
}
