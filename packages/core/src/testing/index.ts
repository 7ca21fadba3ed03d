// For the tests of providers: the environment that controllers are tested in.
export {
  type Change,
  startTestEnvironment,
  TestEnvironment,
  type TestEnvironmentSettings,
} from './test-environment.ts';
export { metricsPage } from './metrics-page.ts';
