import assert from 'node:assert/strict';
import {
  type Filter,
  GetProductsCommand,
  type GetProductsCommandOutput,
  type PricingClient,
} from '@aws-sdk/client-pricing';
import type { ContractCase } from '../contract-case.ts';

const notOn = { moto: 'has no price list' };

/** The filters with which on-demand prices are asked for (spec 07 §10.2). */
const LINUX = {
  regionCode: 'us-east-1',
  serviceCode: 'AmazonEC2',
  preInstalledSw: 'NA',
  operatingSystem: 'Linux',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
};
const SHARED = { ...LINUX, tenancy: 'Shared', productFamily: 'Compute Instance' };
const METAL = { ...LINUX, tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' };

export const PRICING_CASES: readonly ContractCase[] = [
  {
    name: 'an instance type has one on-demand price for Linux on shared hardware',
    services: ['pricing'],
    notOn,
    run: async ({ pricing }) => {
      const products = await list(pricing, { ...SHARED, instanceType: 'm5.large' });
      assert.deepEqual(products.map(priceOf), [['m5.large', '0.0960000000']]);
    },
  },
  {
    name: 'metal is listed apart, as dedicated',
    services: ['pricing'],
    notOn,
    run: async ({ pricing }) => {
      const [[type, price] = []] = (await list(pricing, { ...METAL, instanceType: 'm5.metal' })).map(priceOf);
      assert.equal(type, 'm5.metal');
      assert.ok(Number(price) > 4);
      assert.deepEqual(await list(pricing, { ...SHARED, instanceType: 'm5.metal' }), []);
    },
  },
  {
    name: 'the price list comes in pages of at most a hundred, without an entry twice',
    services: ['pricing'],
    notOn,
    run: async ({ pricing }) => {
      const first = await pricing.send(
        new GetProductsCommand({ ServiceCode: 'AmazonEC2', Filters: filtersOf(SHARED) }),
      );
      assert.equal(first.PriceList!.length, 100);
      assert.ok(first.NextToken);
      const types = (await list(pricing, SHARED)).map((product) => priceOf(product)[0]);
      assert.ok(types.length > 500);
      assert.equal(new Set(types).size, types.length);
    },
  },
  {
    name: 'filters that nothing meets give an empty list',
    services: ['pricing'],
    notOn,
    run: async ({ pricing }) => {
      assert.deepEqual(await list(pricing, { ...SHARED, instanceType: 'z99.huge' }), []);
    },
  },
  {
    name: 'a page that the price list did not name is refused',
    services: ['pricing'],
    notOn,
    run: async ({ pricing }) => {
      const request = { ServiceCode: 'AmazonEC2', Filters: filtersOf(SHARED), NextToken: 'nonsense' };
      await assert.rejects(pricing.send(new GetProductsCommand(request)), { name: 'InvalidNextTokenException' });
    },
  },
];

interface Entry {
  readonly product: { readonly attributes: Readonly<Record<string, string>> };
  readonly terms: {
    readonly OnDemand: Readonly<
      Record<string, { readonly priceDimensions: Readonly<Record<string, { pricePerUnit: Record<string, string> }>> }>
    >;
  };
}

function filtersOf(fields: Readonly<Record<string, string>>): Filter[] {
  return Object.entries(fields).map(([Field, Value]) => ({ Type: 'TERM_MATCH', Field, Value }));
}

async function list(pricing: PricingClient, fields: Readonly<Record<string, string>>): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let NextToken: string | undefined;
  do {
    const request = { ServiceCode: 'AmazonEC2', Filters: filtersOf(fields), MaxResults: 100, NextToken };
    const page: GetProductsCommandOutput = await pricing.send(new GetProductsCommand(request));
    entries.push(...page.PriceList!.map((entry: unknown) => JSON.parse(String(entry)) as Entry));
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  return entries;
}

function priceOf({ product, terms }: Entry): readonly [type: string | undefined, price: string | undefined] {
  const [term] = Object.values(terms.OnDemand);
  const [dimension] = Object.values(term!.priceDimensions);
  return [product.attributes['instanceType'], dimension!.pricePerUnit['USD']];
}
