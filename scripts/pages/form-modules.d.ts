// Types of the modules that form-schemas.ts makes at the build: the rules of each form's fields.
type Forms = import('./form-schemas.ts').FormSchemas

declare module 'virtual:form-schema/decision' {
  const schema: Forms['decision']
  export default schema
}

declare module 'virtual:form-schema/invitation' {
  const schema: Forms['invitation']
  export default schema
}

declare module 'virtual:form-schema/key' {
  const schema: Forms['key']
  export default schema
}

declare module 'virtual:form-schema/policy' {
  const schema: Forms['policy']
  export default schema
}

declare module 'virtual:form-schema/settings' {
  const schema: Forms['settings']
  export default schema
}

declare module 'virtual:form-schema/statement' {
  const schema: Forms['statement']
  export default schema
}

declare module 'virtual:form-schema/webhook' {
  const schema: Forms['webhook']
  export default schema
}

declare module 'virtual:form-schema/chat' {
  const schema: Forms['chat']
  export default schema
}

declare module 'virtual:form-schema/policy-change' {
  const schema: Forms['policy-change']
  export default schema
}

declare module 'virtual:form-schema/report' {
  const schema: Forms['report']
  export default schema
}
