/**
 * Whether code is the project's own. Packages that were installed, standard libraries and test frameworks are not: they
 * appear in the stacks of failures that have nothing else in common.
 */

/** By its file, with `/` for `\`. */
export function isForeignFile(path: string): boolean {
  const file = path.replaceAll('\\', '/');
  return FOREIGN_FILE.test(file) || NO_FILE.test(file) || isVendored(file);
}

/** By its full name, in the languages where a frame shows that: Java and its like, .NET, Rust. */
export function isForeignName(name: string): boolean {
  return FOREIGN_NAME.test(name) || GENERATED_NAME.test(name);
}

const FOREIGN_FILE = new RegExp(
  [
    // JavaScript
    '(?:^|/)node_modules/',
    '^node:',
    '^internal/',
    '/\\.(?:pnpm|yarn)/',
    '/\\.vite/deps/',
    '^(?:[a-z-]+:/*)?(?:[\\w-]+/)?\\(?webpack\\)?/(?:bootstrap|runtime|startup)',
    '(?:^|/)(?:cypress_runner|cypress_cross_origin_runner|cypress_support)\\.js',
    '/__cypress/(?:runner|iframes)/',
    '^(?:chrome|moz|safari-web)-extension:',
    '^(?:events|timers|net|fs|http|_\\w+|domain|util|assert)\\.js$',
    // Python
    '(?:^|/)(?:site|dist)-packages/',
    '/lib/python\\d',
    '(?:^|/)(?:_pytest|pluggy|unittest)/',
    '^<',
    // Go, Rust
    '/go/pkg/mod/',
    '/go(?:-\\d[\\w.-]*)?/src/(?:testing|runtime|reflect|internal|net|sync|os|io|context|encoding|sort)/',
    '/usr/(?:local/go|lib/go[\\w.-]*)/src/',
    '/hostedtoolcache/',
    '(?:^|/)testing/testing\\.go$',
    '(?:^|/)_testmain\\.go$',
    '/rustc/',
    '/rustlib/',
    '\\.cargo/registry/',
    '(?:^|/)library/(?:std|core|alloc|test)/src/',
    // Ruby, PHP
    '/gems/',
    '/lib/ruby/',
    '^(?:/usr)?(?:/local)?/bin/',
    '(?:^|/)bin/(?:rspec|rake|rails|bundle|phpunit)$',
    '^phar:',
    '\\.phar(?:/|$)',
    '/usr/share/php/',
    '^\\[internal function\\]',
    // .NET: the folder in which the runtime and packages are built
    '^/_+/',
  ].join('|'),
);

/** What stands where a file should. */
const NO_FILE =
  /^(?:native|native code|<?anonymous>?|index \d+|eval at .*|Unknown Source|internal)?$|^\[native/;

/** A folder `vendor` of a TypeScript project may be its own. */
function isVendored(file: string): boolean {
  return /(?:^|\/)vendor\//.test(file) && /\.(?:php|go|rb)$/.test(file);
}

const FOREIGN_NAME = new RegExp(
  `^<?(?:${[
    // Java, Kotlin, Scala, Groovy
    '(?:java|javax|jakarta|jdk|sun|kotlin|kotlinx|scala|groovy|junit|worker\\.org\\.gradle)\\.',
    'com\\.sun\\.',
    'org\\.(?:junit|testng|hamcrest|assertj|mockito|opentest4j|gradle|codehaus|apache|springframework)\\.',
    'org\\.(?:hibernate|postgresql|h2|slf4j|jetbrains|scalatest|spockframework|testcontainers|openqa)\\.',
    'org\\.(?:eclipse|jboss|awaitility|jooq|objectweb|objenesis|easymock|aspectj)\\.',
    'com\\.(?:intellij|zaxxer|fasterxml|mysql|microsoft|mongodb|google\\.common|google\\.inject)\\.',
    'com\\.(?:github\\.tomakehurst|codeborne|squareup|sksamuel|jayway)\\.',
    'io\\.(?:kotest|mockk|netty|micrometer|restassured|rest-assured|reactivex|lettuce|ktor|quarkus)\\.',
    '(?:okhttp3|okio|retrofit2|reactor|net\\.bytebuddy|feign|rx)\\.',
    // .NET
    '(?:System|Microsoft|Xunit|NUnit|FluentAssertions|AwesomeAssertions|Shouldly|Moq|NSubstitute|Castle|Bogus)\\.',
    '(?:Newtonsoft|AutoFixture|Polly|Npgsql|MediatR|AutoMapper|Dapper|Serilog|OpenQA|TechTalk|Reqnroll)\\.',
    'InvokeStub_',
    // Rust
    '(?:std|core|alloc|test|tokio|futures_util|proptest|rstest|serde|serde_json|anyhow|__rust_\\w+)::',
    '(?:rust_begin_unwind|_?main$|_?start$|__libc_start|clone3?$|start_thread)',
  ].join('|')})`,
);

/** Lambdas, proxies and accessors that a compiler or a library makes at run time. */
const GENERATED_NAME =
  /\$\$Lambda|\$Proxy\d|\$\$(?:EnhancerBy|FastClassBy|SpringCGLIB)|GeneratedMethodAccessor/;
