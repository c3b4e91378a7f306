/* Made from clients/pytest/src/pytest_testledger/secret_forms.json by `npm run generate`. Do not edit. */

export const secretForms = {
  "sets": {
    "digits": "0-9",
    "hex": "0-9a-f",
    "upper": "A-Z0-9",
    "lower": "a-z0-9",
    "alnum": "A-Za-z0-9",
    "word": "A-Za-z0-9_-",
    "dotted": "A-Za-z0-9_.~-",
    "path": "A-Za-z0-9_/-",
    "base64": "A-Za-z0-9+/=_-",
    "query": "A-Za-z0-9+/=_.~%-"
  },
  "names": {
    "anyCase": [
      "token",
      "secret",
      "password"
    ],
    "upperCase": [
      "KEY"
    ],
    "not": [
      "TESTLEDGER_RUN_KEY",
      "BITBUCKET_PROJECT_KEY",
      "SONAR_PROJECT_KEY",
      "JIRA_PROJECT_KEY"
    ]
  },
  "shortValues": {
    "least": 4,
    "below": 8,
    "ordinary": "^(?:[^A-Za-z0-9]+|[A-Za-z]?[a-z]+|[A-Z]+|[0-9]{1,5}|v?[0-9]+(?:[._-][0-9]+)+|v[0-9]+)$",
    "behind": "(?:^|[^A-Za-z0-9]|\\\\[abfnrtv]|%[0-9A-Fa-f]{2}|\\u001b\\[[0-9;]*[A-Za-z])$"
  },
  "forms": [
    {
      "kind": "testledger API key",
      "source": "docs/api.md",
      "prefixes": [
        "tl_"
      ],
      "characters": "alnum",
      "parts": [
        [
          36,
          36
        ]
      ]
    },
    {
      "kind": "webhook secret of testledger, Stripe and others",
      "source": "https://www.standardwebhooks.com",
      "prefixes": [
        "whsec_"
      ],
      "characters": "base64",
      "parts": [
        [
          24
        ]
      ]
    },
    {
      "kind": "AWS access key id",
      "source": "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html",
      "prefixes": [
        "AKIA",
        "ASIA",
        "ABIA",
        "ACCA"
      ],
      "characters": "upper",
      "parts": [
        [
          16
        ]
      ]
    },
    {
      "kind": "AWS session token",
      "source": "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_use-resources.html",
      "prefixes": [
        "IQoJb3JpZ2luX2Vj",
        "FwoGZXIvYXdz"
      ],
      "characters": "base64",
      "parts": [
        [
          80
        ]
      ]
    },
    {
      "kind": "AWS secret access key",
      "source": "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
      "prefixes": [
        "secret_access_key",
        "SECRET_ACCESS_KEY",
        "SecretAccessKey",
        "secretAccessKey"
      ],
      "characters": "base64",
      "parts": [
        [
          40
        ]
      ],
      "gap": "[ \\t\"'\\\\]{0,4}[:=]>?[ \\t\"'\\\\]{0,4}"
    },
    {
      "kind": "Google API key",
      "source": "https://docs.cloud.google.com/docs/authentication/api-keys",
      "prefixes": [
        "AIza"
      ],
      "characters": "word",
      "parts": [
        [
          35
        ]
      ]
    },
    {
      "kind": "Google client secret",
      "source": "https://developers.google.com/identity/protocols/oauth2",
      "prefixes": [
        "GOCSPX-"
      ],
      "characters": "word",
      "parts": [
        [
          28
        ]
      ]
    },
    {
      "kind": "Google access token",
      "source": "https://developers.google.com/identity/protocols/oauth2",
      "prefixes": [
        "ya29."
      ],
      "characters": "dotted",
      "parts": [
        [
          20
        ]
      ]
    },
    {
      "kind": "Google refresh token",
      "source": "https://developers.google.com/identity/protocols/oauth2",
      "prefixes": [
        "1//0"
      ],
      "characters": "word",
      "parts": [
        [
          60
        ]
      ]
    },
    {
      "kind": "Azure key of a connection string",
      "source": "https://learn.microsoft.com/purview/sit-sensitive-information-type-entity-definitions",
      "prefixes": [
        "AccountKey=",
        "SharedAccessKey="
      ],
      "characters": "base64",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Azure shared access signature",
      "source": "https://learn.microsoft.com/purview/sit-sensitive-information-type-entity-definitions",
      "prefixes": [
        "?sig=",
        "&sig=",
        ";sig="
      ],
      "characters": "query",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Azure client secret",
      "source": "https://learn.microsoft.com/purview/sit-sensitive-information-type-entity-definitions",
      "prefixes": [
        "7Q~",
        "8Q~",
        "9Q~"
      ],
      "characters": "dotted",
      "parts": [
        [
          31
        ]
      ],
      "before": {
        "characters": "dotted",
        "least": 3,
        "most": 3
      }
    },
    {
      "kind": "Azure DevOps token and keys of Azure services",
      "source": "https://learn.microsoft.com/purview/sit-sensitive-information-type-entity-definitions",
      "prefixes": [
        "JQQJ99"
      ],
      "characters": "alnum",
      "parts": [
        [
          20
        ]
      ],
      "before": {
        "characters": "alnum",
        "least": 40,
        "most": 52
      }
    },
    {
      "kind": "DigitalOcean token",
      "source": "https://docs.digitalocean.com/reference/api/create-personal-access-token/",
      "prefixes": [
        "dop_v1_",
        "doo_v1_",
        "dor_v1_"
      ],
      "characters": "hex",
      "parts": [
        [
          64
        ]
      ]
    },
    {
      "kind": "Alibaba Cloud access key id",
      "source": "https://www.alibabacloud.com/help/ram",
      "prefixes": [
        "LTAI"
      ],
      "characters": "alnum",
      "parts": [
        [
          16,
          26
        ]
      ]
    },
    {
      "kind": "Heroku token",
      "source": "https://devcenter.heroku.com/articles/authentication",
      "prefixes": [
        "HRKU-"
      ],
      "characters": "word",
      "parts": [
        [
          36
        ]
      ]
    },
    {
      "kind": "Databricks token",
      "source": "https://docs.databricks.com/aws/dev-tools/auth/pat",
      "prefixes": [
        "dapi"
      ],
      "characters": "hex",
      "parts": [
        [
          32
        ]
      ]
    },
    {
      "kind": "PlanetScale token",
      "source": "https://planetscale.com/docs",
      "prefixes": [
        "pscale_tkn_",
        "pscale_pw_",
        "pscale_oauth_"
      ],
      "characters": "dotted",
      "parts": [
        [
          32
        ]
      ]
    },
    {
      "kind": "Supabase key",
      "source": "https://supabase.com/docs/guides/api/api-keys",
      "prefixes": [
        "sbp_",
        "sb_secret_"
      ],
      "characters": "word",
      "parts": [
        [
          30
        ]
      ]
    },
    {
      "kind": "Vault token",
      "source": "https://developer.hashicorp.com/vault/docs/concepts/tokens",
      "prefixes": [
        "hvs.",
        "hvb.",
        "hvr."
      ],
      "characters": "word",
      "parts": [
        [
          24
        ]
      ]
    },
    {
      "kind": "Terraform token",
      "source": "https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens",
      "prefixes": [
        ".atlasv1."
      ],
      "characters": "word",
      "parts": [
        [
          60
        ]
      ],
      "before": {
        "characters": "alnum",
        "least": 14,
        "most": 14
      }
    },
    {
      "kind": "Doppler token",
      "source": "https://docs.doppler.com/docs/service-tokens",
      "prefixes": [
        "dp.pt.",
        "dp.st.",
        "dp.ct.",
        "dp.sa."
      ],
      "characters": "dotted",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Tailscale key",
      "source": "https://tailscale.com/kb/1277/key-prefixes",
      "prefixes": [
        "tskey-"
      ],
      "characters": "word",
      "parts": [
        [
          20
        ]
      ]
    },
    {
      "kind": "GitHub token",
      "source": "https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats",
      "prefixes": [
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_"
      ],
      "characters": "dotted",
      "parts": [
        [
          36
        ]
      ]
    },
    {
      "kind": "GitHub fine-grained token",
      "source": "https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats",
      "prefixes": [
        "github_pat_"
      ],
      "characters": "word",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "GitLab token",
      "source": "https://docs.gitlab.com/security/tokens/#token-prefixes",
      "prefixes": [
        "glpat-",
        "gldt-",
        "glrt-",
        "glrtr-",
        "glcbt-",
        "glptt-",
        "glft-",
        "glimt-",
        "glagent-",
        "gloas-",
        "glsoat-",
        "glffct-",
        "glwt-",
        "GR1348941"
      ],
      "characters": "dotted",
      "parts": [
        [
          20
        ]
      ]
    },
    {
      "kind": "Atlassian token",
      "source": "https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/",
      "prefixes": [
        "ATATT3xFf",
        "ATCTT3xFf"
      ],
      "characters": "base64",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Bitbucket app password",
      "source": "https://support.atlassian.com/bitbucket-cloud/docs/using-api-tokens/",
      "prefixes": [
        "ATBB"
      ],
      "characters": "alnum",
      "parts": [
        [
          32
        ]
      ]
    },
    {
      "kind": "npm token",
      "source": "https://docs.npmjs.com/about-access-tokens",
      "prefixes": [
        "npm_"
      ],
      "characters": "alnum",
      "parts": [
        [
          36
        ]
      ]
    },
    {
      "kind": "PyPI token",
      "source": "https://pypi.org/help/#apitoken",
      "prefixes": [
        "pypi-AgE"
      ],
      "characters": "word",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "RubyGems key",
      "source": "https://guides.rubygems.org/api-key-scopes/",
      "prefixes": [
        "rubygems_"
      ],
      "characters": "hex",
      "parts": [
        [
          48
        ]
      ]
    },
    {
      "kind": "NuGet key",
      "source": "https://learn.microsoft.com/nuget/nuget-org/scoped-api-keys",
      "prefixes": [
        "oy2"
      ],
      "characters": "lower",
      "parts": [
        [
          43
        ]
      ]
    },
    {
      "kind": "Docker Hub token",
      "source": "https://docs.docker.com/security/access-tokens/",
      "prefixes": [
        "dckr_pat_",
        "dckr_oat_"
      ],
      "characters": "word",
      "parts": [
        [
          27
        ]
      ]
    },
    {
      "kind": "CircleCI token",
      "source": "https://circleci.com/docs/managing-api-tokens/",
      "prefixes": [
        "CCIPAT_",
        "CCIPRJ_"
      ],
      "characters": "word",
      "parts": [
        [
          30
        ]
      ]
    },
    {
      "kind": "Buildkite token",
      "source": "https://buildkite.com/docs/platform/security/tokens",
      "prefixes": [
        "bkua_",
        "bkct_",
        "bkpt_"
      ],
      "characters": "alnum",
      "parts": [
        [
          30
        ]
      ]
    },
    {
      "kind": "Slack token",
      "source": "https://docs.slack.dev/authentication/tokens",
      "prefixes": [
        "xoxb-",
        "xoxp-",
        "xoxa-",
        "xoxr-",
        "xoxs-",
        "xoxo-",
        "xoxc-",
        "xoxd-",
        "xoxe-",
        "xoxe.",
        "xapp-",
        "xwfp-"
      ],
      "characters": "dotted",
      "parts": [
        [
          20
        ]
      ]
    },
    {
      "kind": "Slack webhook",
      "source": "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
      "prefixes": [
        "hooks.slack.com/services/",
        "hooks.slack.com/workflows/",
        "hooks.slack.com/triggers/"
      ],
      "characters": "path",
      "parts": [
        [
          20
        ]
      ]
    },
    {
      "kind": "Discord webhook",
      "source": "https://docs.discord.com/developers/resources/webhook",
      "prefixes": [
        "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/"
      ],
      "characters": "path",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Discord bot token",
      "source": "https://docs.discord.com/developers/reference#authentication",
      "prefixes": [
        "MT",
        "Mj",
        "Mz",
        "ND",
        "NT",
        "Nj",
        "Nz",
        "OD",
        "OT"
      ],
      "characters": "word",
      "parts": [
        [
          21,
          26
        ],
        [
          6,
          6
        ],
        [
          27,
          40
        ]
      ]
    },
    {
      "kind": "Telegram bot token",
      "source": "https://core.telegram.org/bots/features#botfather",
      "prefixes": [
        ":AA"
      ],
      "characters": "word",
      "parts": [
        [
          33
        ]
      ],
      "before": {
        "characters": "digits",
        "least": 8,
        "most": 12
      }
    },
    {
      "kind": "Microsoft Teams webhook",
      "source": "https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook",
      "prefixes": [
        "/webhookb2/"
      ],
      "characters": "query",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "SendGrid key",
      "source": "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys",
      "prefixes": [
        "SG."
      ],
      "characters": "word",
      "parts": [
        [
          16,
          32
        ],
        [
          30,
          64
        ]
      ]
    },
    {
      "kind": "Twilio key",
      "source": "https://www.twilio.com/docs/iam/api-keys",
      "prefixes": [
        "SK"
      ],
      "characters": "hex",
      "parts": [
        [
          32,
          32
        ]
      ]
    },
    {
      "kind": "JSON Web Token",
      "source": "https://www.rfc-editor.org/rfc/rfc7519",
      "prefixes": [
        "eyJ"
      ],
      "characters": "word",
      "parts": [
        [
          8
        ],
        [
          8
        ],
        [
          0
        ]
      ]
    },
    {
      "kind": "credentials of a request",
      "source": "https://www.rfc-editor.org/rfc/rfc9110#name-authorization",
      "prefixes": [
        "Authorization",
        "authorization",
        "AUTHORIZATION"
      ],
      "characters": "query",
      "parts": [
        [
          10
        ]
      ],
      "gap": "[ \\t\"'\\\\]{0,4}[:=,]>?[ \\t\"'\\\\\\[]{0,4}(?:[Bb]asic|[Bb]earer|[Tt]oken) {1,2}"
    },
    {
      "kind": "Stripe key",
      "source": "https://docs.stripe.com/keys",
      "prefixes": [
        "sk_live_",
        "sk_test_",
        "rk_live_",
        "rk_test_"
      ],
      "characters": "alnum",
      "parts": [
        [
          16
        ]
      ]
    },
    {
      "kind": "Shopify token",
      "source": "https://shopify.dev/docs/apps/build/authentication-authorization",
      "prefixes": [
        "shpat_",
        "shpca_",
        "shppa_",
        "shpss_"
      ],
      "characters": "hex",
      "parts": [
        [
          32
        ]
      ]
    },
    {
      "kind": "Square token",
      "source": "https://developer.squareup.com/docs/build-basics/access-tokens",
      "prefixes": [
        "sq0atp-",
        "sq0csp-"
      ],
      "characters": "word",
      "parts": [
        [
          22
        ]
      ]
    },
    {
      "kind": "OpenAI key",
      "source": "https://platform.openai.com/docs/api-reference/authentication",
      "prefixes": [
        "T3BlbkFJ"
      ],
      "characters": "word",
      "parts": [
        [
          20
        ]
      ],
      "before": {
        "characters": "word",
        "least": 20,
        "most": 120
      }
    },
    {
      "kind": "OpenAI key without a mark",
      "source": "https://platform.openai.com/docs/api-reference/authentication",
      "prefixes": [
        "sk-proj-",
        "sk-svcacct-",
        "sk-admin-"
      ],
      "characters": "word",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Anthropic key",
      "source": "https://docs.claude.com/en/api/overview",
      "prefixes": [
        "sk-ant-"
      ],
      "characters": "word",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Hugging Face token",
      "source": "https://huggingface.co/docs/hub/security-tokens",
      "prefixes": [
        "hf_"
      ],
      "characters": "alnum",
      "parts": [
        [
          30
        ]
      ]
    },
    {
      "kind": "Groq key",
      "source": "https://console.groq.com/docs/quickstart",
      "prefixes": [
        "gsk_"
      ],
      "characters": "alnum",
      "parts": [
        [
          48
        ]
      ]
    },
    {
      "kind": "Grafana token",
      "source": "https://grafana.com/docs/grafana/latest/administration/service-accounts/",
      "prefixes": [
        "glsa_",
        "glc_"
      ],
      "characters": "base64",
      "parts": [
        [
          32
        ]
      ]
    },
    {
      "kind": "Sentry token",
      "source": "https://docs.sentry.io/account/auth-tokens/",
      "prefixes": [
        "sntrys_",
        "sntryu_"
      ],
      "characters": "base64",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "New Relic key",
      "source": "https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/",
      "prefixes": [
        "NRAK-",
        "NRII-"
      ],
      "characters": "alnum",
      "parts": [
        [
          27
        ]
      ]
    },
    {
      "kind": "Linear token",
      "source": "https://linear.app/developers",
      "prefixes": [
        "lin_api_",
        "lin_oauth_"
      ],
      "characters": "alnum",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Notion token",
      "source": "https://developers.notion.com/reference/authentication",
      "prefixes": [
        "ntn_"
      ],
      "characters": "alnum",
      "parts": [
        [
          40
        ]
      ]
    },
    {
      "kind": "Figma token",
      "source": "https://developers.figma.com/docs/rest-api/authentication/",
      "prefixes": [
        "figd_"
      ],
      "characters": "word",
      "parts": [
        [
          36
        ]
      ]
    },
    {
      "kind": "Postman key",
      "source": "https://learning.postman.com/docs/developer/postman-api/authentication/",
      "prefixes": [
        "PMAK-"
      ],
      "characters": "word",
      "parts": [
        [
          50
        ]
      ]
    },
    {
      "kind": "1Password service account",
      "source": "https://developer.1password.com/docs/service-accounts/",
      "prefixes": [
        "ops_eyJ"
      ],
      "characters": "base64",
      "parts": [
        [
          100
        ]
      ]
    },
    {
      "kind": "age secret key",
      "source": "https://age-encryption.org/v1",
      "prefixes": [
        "AGE-SECRET-KEY-1"
      ],
      "characters": "upper",
      "parts": [
        [
          50
        ]
      ]
    }
  ]
} as const;
