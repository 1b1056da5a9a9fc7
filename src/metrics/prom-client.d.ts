declare module 'prom-client/lib/registry.js' {
  export default class Registry {
    readonly contentType: string
    /** Throws if the name is already registered. */
    registerMetric(metric: {
      readonly name: string
      readonly get: () => Promise<import('../platform/metrics.ts').Family>
    }): void
    metrics(): Promise<string>
  }
}
