import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../../deploy/aws/iam');

/** The values of the placeholders that the documents have. */
export type PolicyPlace = Readonly<
  Record<'PARTITION' | 'REGION' | 'ACCOUNT' | 'CLUSTER_NAME' | 'DNS_SUFFIX' | 'OIDC_PROVIDER', string>
>;

/** The policies that `deploy/aws/iam` has for the role of the controller, for a cluster. */
export function controllerPolicies(place: PolicyPlace): readonly unknown[] {
  const names = readdirSync(FOLDER).filter((name) => /^controller-(?!trust).*\.json$/.test(name));
  return names.map((name) => JSON.parse(withPlace(readFileSync(join(FOLDER, name), 'utf8'), place)));
}

function withPlace(text: string, place: PolicyPlace): string {
  return text.replaceAll(/\$\{([A-Z_]+)\}/g, (_, name: keyof PolicyPlace) => {
    const value = place[name];
    if (value === undefined) throw new Error(`no value for the placeholder ${name}`);
    return value;
  });
}
