// The metrics page in a process of its own.
import { measureMetricsPage } from '../metrics-page.ts';

process.send?.(await measureMetricsPage());
process.disconnect();
