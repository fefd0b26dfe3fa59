/** The shim as an expression that takes its configuration. The build writes the module from `shim/shim.ts`. */
export declare const SHIM: string;
