import type { Metrics } from '@karpenter-ts/runtime';

/** The metrics page of a scrape. */
export async function metricsPage(metrics: Metrics): Promise<string> {
  let page = '';
  for await (const slice of metrics.render('text')) page += slice;
  return page;
}
