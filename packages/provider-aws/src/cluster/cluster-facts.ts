/** What is known of the cluster once the provider has started. An instance needs it to join. */
export interface ClusterFacts {
  readonly name: string;
  /** Address of the API server. */
  readonly endpoint: string;
  /** In base64; undefined if it is not known, which upstream's tests admit. */
  readonly caBundle: string | undefined;
  /** The first address of the cluster DNS. Its family is that of the cluster; undefined means IPv4. */
  readonly kubeDnsIp: string | undefined;
}

/** The cluster as a launch sees it. */
export interface JoinedCluster extends ClusterFacts {
  /** The range of service addresses; undefined until it is resolved, which only AL2023 needs. */
  readonly cidr: string | undefined;
}
