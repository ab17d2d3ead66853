// One fault, if it is one.
export const faultIf = (isFault: boolean, fault: string): string[] => (isFault ? [fault] : [])
