// Ends countersign-verify where Node is too old for it. Import it first: other modules would throw, and Node would exit with 1.
import { TERMINAL } from '../command-line.ts'

/** Node 22 has helpers of iterators. Node 21 was the first that says how a JSON number is written. */
export const LEAST_NODE = 22

/** Returns why a version of Node, such as 20.20.2, cannot run the command; null if it can. */
export const refuseNode = (version: string): string | null =>
  Number.parseInt(version, 10) >= LEAST_NODE
    ? null
    : `countersign-verify needs Node ${LEAST_NODE} or later; this is ${version}.`

const refusal = refuseNode(process.versions.node)
if (refusal !== null) {
  TERMINAL.report(refusal)
  process.exit(2)
}
