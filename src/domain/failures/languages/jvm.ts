/** Java, Kotlin, Scala, Groovy and Clojure. */
import type { Language, NamedFrame } from '../language.js';

export const jvm: Language = {
  foreignNames: [
    '(?:java|javax|jakarta|jdk|sun|kotlin|kotlinx|scala|groovy|junit|worker\\.org\\.gradle)\\.',
    'com\\.sun\\.',
    'org\\.(?:junit|testng|hamcrest|assertj|mockito|opentest4j|gradle|codehaus|apache|springframework)\\.',
    'org\\.(?:hibernate|postgresql|h2|slf4j|jetbrains|scalatest|spockframework|testcontainers|openqa)\\.',
    'org\\.(?:eclipse|jboss|awaitility|jooq|objectweb|objenesis|easymock|aspectj)\\.',
    'com\\.(?:intellij|zaxxer|fasterxml|mysql|microsoft|mongodb|google\\.common|google\\.inject)\\.',
    'com\\.(?:github\\.tomakehurst|codeborne|squareup|sksamuel|jayway)\\.',
    'io\\.(?:kotest|mockk|netty|micrometer|restassured|rest-assured|reactivex|lettuce|ktor|quarkus)\\.',
    '(?:okhttp3|okio|retrofit2|reactor|net\\.bytebuddy|feign|rx)\\.',
    // Lambdas, proxies and accessors that a compiler or a library makes at run time.
    '[^]*(?:\\$\\$Lambda|\\$Proxy\\d|\\$\\$(?:EnhancerBy|FastClassBy|SpringCGLIB)|GeneratedMethodAccessor)',
  ],
  notation: () => ({ after: { 'at ': frameAt } }),
  vagueTypes: `throwable runtimeexception assertionfailederror comparisonfailure assertionfailurebuilder
    multiplefailureserror multiplefailureexception powerassertionerror multipleassertionerror
    webdriverexception timeoutexception unexpectedalertexception`,
};

/** `app//com.shop.Orders$Line.lambda$total$0(Orders.java:12) ~[classes/:?]` */
function frameAt(text: string): NamedFrame | null {
  const end = text.lastIndexOf(')');
  const start = text.lastIndexOf('(', end);
  if (start <= 0 || text.charAt(start - 1) === ' ') return null;
  const where = text.slice(start + 1, end);
  const file = /^([\w$. -]+\.(?:java|kt|kts|scala|groovy|clj))(?::-?\d+)?$/.exec(where)?.[1];
  const qualified = text.slice(text.lastIndexOf('/', start) + 1, start);
  if (file === undefined) {
    return /^(?:Native Method|Unknown Source|<generated>)$/.test(where)
      ? { path: '<generated>', fn: null }
      : null;
  }
  return { path: file, fn: nameIn(qualified), qualified, foreign: text.includes('$$Lambda') };
}

/** Compilers number lambdas and classes without a name in the order of the file. */
function nameIn(qualified: string): string {
  return qualified
    .replace(/\.lambda\$([^.$]+)\$\d+$/, '.$1')
    .replace(/\$\d+/g, '')
    .replace(/\.(?:invokeSuspend|invoke)$/, '');
}
