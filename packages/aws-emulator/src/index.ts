// The AWS services that the provider uses, in the process. What is not here is private.
export {};
