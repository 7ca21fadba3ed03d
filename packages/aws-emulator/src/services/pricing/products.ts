import { instanceTypeFacts, offeringFacts, onDemandPriceFacts } from '@karpenter-ts/ec2-facts';
import { hashText, Random } from '../../state/random.ts';

/** One thing on the price list: an instance type with an operating system, software, tenancy and use. */
export interface Product {
  readonly sku: string;
  readonly family: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** An hour. */
  readonly price: number;
  readonly currency: 'USD' | 'CNY';
}

/** How a way to use a type differs from Linux on shared hardware. */
interface Variant {
  readonly attributes: Readonly<Record<string, string>>;
  /** An hour, from that of Linux and the number of CPUs. */
  readonly price: (linux: number, cpus: number) => number;
}

const LINUX = {
  operatingSystem: 'Linux',
  preInstalledSw: 'NA',
  tenancy: 'Shared',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
  licenseModel: 'No License required',
};

/** What the list has beside what we look for, so that a filter that is left out is noticed. The prices are made up. */
const VARIANTS: readonly Variant[] = [
  { attributes: LINUX, price: (linux) => linux },
  { attributes: { ...LINUX, capacitystatus: 'UnusedCapacityReservation' }, price: (linux) => linux },
  { attributes: { ...LINUX, capacitystatus: 'AllocatedCapacityReservation' }, price: () => 0 },
  { attributes: { ...LINUX, operatingSystem: 'Windows' }, price: (linux, cpus) => linux + 0.046 * cpus },
  { attributes: { ...LINUX, preInstalledSw: 'SQL Web' }, price: (linux, cpus) => linux + 0.017 * cpus },
];
const DEDICATED: Variant = { attributes: { ...LINUX, tenancy: 'Dedicated' }, price: (linux) => linux * 1.06 };
/** Metal is a whole machine: the list has it as dedicated, at the price of the type. */
const METAL: Variant = { attributes: { ...LINUX, tenancy: 'Dedicated' }, price: (linux) => linux };

/**
 * The products of a region, by type. Prices are those of `ec2-facts`; a region without any has those of us-east-1 for
 * the types that it offers. With `listed`, of these types only.
 */
export function productsOf(
  region: string,
  changes: ReadonlyMap<string, number>,
  listed?: readonly string[],
): readonly Product[] {
  const prices = onDemandPriceFacts()[region] ?? offeredPrices(region);
  const currency = region.startsWith('cn-') ? 'CNY' : 'USD';
  const all = [...new Set([...Object.keys(prices), ...changes.keys()])].sort();
  const types = all.filter((type) => listed?.includes(type) ?? true);
  return types.flatMap((type) => {
    const price = changes.get(type) ?? prices[type]!;
    return variantsOf(type).map((variant) => productOf({ type, region, price, currency }, variant));
  });
}

function offeredPrices(region: string): Readonly<Record<string, number>> {
  const prices = onDemandPriceFacts()['us-east-1']!;
  const offered = offeringFacts()[region];
  if (offered === undefined) return prices;
  return Object.fromEntries(Object.entries(prices).filter(([type]) => offered[type] !== undefined));
}

function variantsOf(type: string): readonly Variant[] {
  return isMetal(type) ? [METAL, ...VARIANTS.slice(3)] : [...VARIANTS, DEDICATED];
}

function isMetal(type: string): boolean {
  return type.includes('.metal');
}

interface Priced {
  readonly type: string;
  readonly region: string;
  readonly price: number;
  readonly currency: 'USD' | 'CNY';
}

function productOf({ type, region, price, currency }: Priced, variant: Variant): Product {
  const { VCpuInfo, MemoryInfo } = instanceTypeFacts()[type] ?? {};
  const cpus = VCpuInfo?.DefaultVCpus ?? 1;
  const attributes = {
    servicecode: 'AmazonEC2',
    servicename: 'Amazon Elastic Compute Cloud',
    regionCode: region,
    locationType: 'AWS Region',
    instanceType: type,
    vcpu: String(cpus),
    memory: `${(MemoryInfo?.SizeInMiB ?? 0) / 1024} GiB`,
    ...variant.attributes,
  };
  return {
    sku: new Random(hashText(JSON.stringify(attributes))).hex(16).toUpperCase(),
    family: isMetal(type) ? 'Compute Instance (bare metal)' : 'Compute Instance',
    attributes,
    price: variant.price(price, cpus),
    currency,
  };
}

/** As the list writes it: JSON in a string. */
export function listEntry({ sku, family, attributes, price, currency }: Product, publishedAt: string): string {
  const offer = `${sku}.JRTCKXETXF`;
  const rate = `${offer}.6YS6EN2CT7`;
  const dimension = {
    unit: 'Hrs',
    beginRange: '0',
    endRange: 'Inf',
    description: `${price} per ${attributes['operatingSystem']} ${attributes['instanceType']} instance hour`,
    appliesTo: [],
    rateCode: rate,
    pricePerUnit: { [currency]: price.toFixed(10) },
  };
  const term = {
    sku,
    offerTermCode: 'JRTCKXETXF',
    effectiveDate: publishedAt,
    termAttributes: {},
    priceDimensions: { [rate]: dimension },
  };
  return JSON.stringify({
    product: { productFamily: family, attributes, sku },
    serviceCode: 'AmazonEC2',
    terms: { OnDemand: { [offer]: term } },
    version: '20260101000000',
    publicationDate: publishedAt,
  });
}
