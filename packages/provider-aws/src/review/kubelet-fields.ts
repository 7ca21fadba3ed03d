/** The fields of KubeletConfiguration, v1beta1, of Kubernetes 1.36 (spec 08 §12.2). */
export const KUBELET_FIELDS: ReadonlySet<string> = new Set(
  (
    'enableServer staticPodPath podLogsDir syncFrequency fileCheckFrequency httpCheckFrequency staticPodURL ' +
    'staticPodURLHeader address port readOnlyPort tlsCertFile tlsPrivateKeyFile tlsCipherSuites ' +
    'tlsCurvePreferences tlsMinVersion rotateCertificates serverTLSBootstrap authentication authorization ' +
    'registryPullQPS registryBurst imagePullCredentialsVerificationPolicy ' +
    'preloadedImagesVerificationAllowlist eventRecordQPS eventBurst enableDebuggingHandlers ' +
    'enableContentionProfiling healthzPort healthzBindAddress oomScoreAdj clusterDomain clusterDNS ' +
    'streamingConnectionIdleTimeout nodeStatusUpdateFrequency nodeStatusReportFrequency ' +
    'nodeLeaseDurationSeconds imageMinimumGCAge imageMaximumGCAge imageGCHighThresholdPercent ' +
    'imageGCLowThresholdPercent volumeStatsAggPeriod kubeletCgroups systemCgroups cgroupRoot cgroupsPerQOS ' +
    'cgroupDriver cpuManagerPolicy singleProcessOOMKill cpuManagerPolicyOptions cpuManagerReconcilePeriod ' +
    'memoryManagerPolicy topologyManagerPolicy topologyManagerScope topologyManagerPolicyOptions qosReserved ' +
    'runtimeRequestTimeout hairpinMode maxPods podCIDR podPidsLimit resolvConf runOnce cpuCFSQuota ' +
    'cpuCFSQuotaPeriod nodeStatusMaxImages maxOpenFiles contentType kubeAPIQPS kubeAPIBurst ' +
    'serializeImagePulls maxParallelImagePulls evictionHard evictionSoft evictionSoftGracePeriod ' +
    'evictionPressureTransitionPeriod evictionMaxPodGracePeriod evictionMinimumReclaim ' +
    'mergeDefaultEvictionSettings podsPerCore enableControllerAttachDetach protectKernelDefaults ' +
    'makeIPTablesUtilChains iptablesMasqueradeBit iptablesDropBit featureGates failSwapOn memorySwap ' +
    'containerLogMaxSize containerLogMaxFiles containerLogMaxWorkers containerLogMonitorInterval ' +
    'configMapAndSecretChangeDetectionStrategy systemReserved kubeReserved reservedSystemCPUs ' +
    'showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup enforceNodeAllocatable ' +
    'allowedUnsafeSysctls volumePluginDir providerID kernelMemcgNotification logging enableSystemLogHandler ' +
    'enableSystemLogQuery shutdownGracePeriod shutdownGracePeriodCriticalPods ' +
    'shutdownGracePeriodByPodPriority crashLoopBackOff reservedMemory enableProfilingHandler ' +
    'enableDebugFlagsHandler seccompDefault memoryThrottlingFactor memoryReservationPolicy registerWithTaints ' +
    'registerNode tracing localStorageCapacityIsolation containerRuntimeEndpoint imageServiceEndpoint ' +
    'failCgroupV1 userNamespaces kind apiVersion'
  ).split(' '),
);
