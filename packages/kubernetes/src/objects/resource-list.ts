/** Amounts by resource name. YAML may write them as numbers (`cpu: 4`) or as text (`cpu: 500m`). */
export type ResourceList = Readonly<Record<string, string | number>>;
