"""The formats of keys and tokens, by the prefixes that providers chose for recognition.

Secret scanners were considered: detect-secrets (last released in 2024) knows fewer formats than these; Kingfisher knows
many more, for 45 MB on the disk, 40 MB of memory and four seconds of CPU at the first start. Keys of unlisted formats
are recognised by being random (`GENERATED`).
"""

from __future__ import annotations

import re

KEYS = re.compile(
    r"""
    (?<![A-Za-z0-9])(?:
      (?<![_-])sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}
    | (?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,} | whsec_[A-Za-z0-9+/=]{20,}
    | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{20,} | (?:AKIA|ASIA)[A-Z0-9]{16}
    | xox[abeprs]-[A-Za-z0-9-]{10,} | xapp-[0-9]-[A-Za-z0-9-]{20,} | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}
    | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | GOCSPX-[A-Za-z0-9_-]{20,}
    | npm_[A-Za-z0-9]{36} | pypi-AgE[A-Za-z0-9_-]{20,} | hf_[A-Za-z0-9]{30,} | (?:gsk_|xai-)[A-Za-z0-9]{40,}
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | ATATT3[A-Za-z0-9_=-]{50,} | lin_api_[A-Za-z0-9]{30,}
    | dop_v1_[a-f0-9]{40,} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32} | LTAI[A-Za-z0-9]{16,20} | AKID[A-Za-z0-9]{32}
    | AGE-SECRET-KEY-1[A-Z0-9]{50,} | dckr_pat_[A-Za-z0-9_-]{20,} | sntrys_[A-Za-z0-9+/=_]{30,} | NRAK-[A-Z0-9]{27}\b
    | tskey-[a-z]+-[A-Za-z0-9]{10,} | r8_[A-Za-z0-9]{37} | pplx-[A-Za-z0-9]{40,} | (?:ntn|secret)_[A-Za-z0-9]{40,}
    | figd_[A-Za-z0-9_-]{30,} | sq0(?:atp|csp)-[A-Za-z0-9_-]{20,} | hv[sb]\.[A-Za-z0-9_-]{24,}
    | EAA[A-Za-z0-9]{80,}
    | key-[0-9a-f]{32}\b | SK[0-9a-f]{32}\b | 1//0[A-Za-z0-9_-]{30,} | pat-(?:na|eu)1-[0-9a-f]{8}-[0-9a-f-]{27}
    | gl(?:dt|rt|ft|imt|agent|oas|ptt|soat|cbt|ffct)-[A-Za-z0-9_-]{20,} | GR1348941[A-Za-z0-9_-]{20}
    | (?:dapi|fc-|ctx7sk-)[a-f0-9]{32} | do[or]_v1_[a-f0-9]{40,} | dckr_oat_[A-Za-z0-9_-]{20,}
    | dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,} | dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64} | EZ[AT]K[A-Za-z0-9]{54}
    | glc_[A-Za-z0-9+/=]{40,} | glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8} | api_org_[A-Za-z]{34}
    | pat[A-Za-z0-9]{14}\.[a-f0-9]{64} | A3-[A-Z0-9]{6}-[A-Z0-9-]{23,} | ops_eyJ[A-Za-z0-9+/=]{100,}
    | apify_api_[A-Za-z0-9]{30,} | AKCp[A-Za-z0-9]{60,} | AT(?:BB|CTT3)[A-Za-z0-9_=-]{24,} | bk(?:ua|pt
    |ct)_[A-Za-z0-9_-]{40,}
    | CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40} | sk_[a-f0-9]{48} | csk-[a-z0-9]{40,} | cf[ua]t_[A-Za-z0-9]{40,}
    | v1\.0-[a-f0-9]{24}-[a-f0-9]{146}
    | CCDB1_\w{22}_\w{40} | AstraCS:[A-Za-z0-9:]{20,} | ddp_[A-Za-z0-9]{36} | SWM(?:KEY|TKN)-1-[A-Za-z0-9+/-]{40,}
    | FlyV1[ ][A-Za-z0-9=_,/+-]{40,} | fo1_[A-Za-z0-9_-]{40,} | AQ\.Ab8[A-Za-z0-9_-]{40,} | HRKU-[A-Za-z0-9_-]{36,}
    | lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10} | sk-lf-[a-f0-9-]{36} | llx-[A-Za-z0-9]{40,} | mlsn\.[a-f0-9]{30,}
    | mdb_sa_sk_[A-Za-z0-9_-]{40} | pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,} | ph[cx]_[A-Za-z0-9]{40,}
    | PMAK-[a-f0-9]{24}-[a-f0-9]{34}
    | rubygems_[a-f0-9]{48} | rpa_[A-Z0-9]{40,} | sbp_[a-f0-9]{40} | sb_secret_[A-Za-z0-9_-]{20,}
    | sgp_[A-Za-z0-9_]{40,}
    | shippo_(?:live|test)_[a-f0-9]{40} | sntryu_[a-f0-9]{64} | tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}
    | xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}
    | nfp_[A-Za-z0-9]{36} | nvapi-[A-Za-z0-9_-]{60,} | fig[uo][rh]?_[A-Za-z0-9_-]{30,}
    | pcsk_[A-Za-z0-9_]{40,} | e2b_[a-f0-9]{40}
    | oy2[a-z0-9]{43}\b | BSA[A-Za-z0-9_-]{27,} | vcp_[A-Za-z0-9]{40,} | NRII-[A-Za-z0-9_-]{32}
    | duffel_(?:test|live)_[A-Za-z0-9_=-]{43}
    | FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,} | [Tt]3BlbkFJ[A-Za-z0-9_-]{20,}
    | [MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}
    | [A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34} | [a-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}
    | (?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{30,}={0,2} | xprv[1-9A-HJ-NP-Za-km-z]{100,}
    )
    | hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_]{30,}
    | discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,} | [?&]sig=[A-Za-z0-9%+/]{30,}
    | \bBearer[ ](?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,} | \bAuthorization:[ ]*Basic[ ]+[A-Za-z0-9+/]{8,}""",
    re.VERBOSE,
)
GENERATED = re.compile(
    r"(?<![A-Za-z0-9_.:/-])[A-Za-z][A-Za-z0-9]{1,11}[_-](?:[A-Za-z0-9]{1,10}[_-]){0,3}([A-Za-z0-9]{32,})(?![A-Za-z0-9])"
)
"""One or more words and at least 32 letters and digits; ids of this form are shorter."""

GROWING = re.compile(
    r"""(?<![A-Za-z0-9._-])(?:
      (?:sk-|[sr]k_live_|gh[pousr]_|github_pat_|gl(?:pat|dt|rt)-|xox[abeprs]-|npm_|pypi-|hf_|gsk_|xai-|whsec_
      |dapi|tvly-
        |nvapi-|pplx-|figd_|sbp_|dop_v1_|lin_api_|ntn_|r8_|hv[sb][.])[A-Za-z0-9_-]*
    | (?:AKIA|ASIA|AIza|ya29\.|SG\.|eyJ)[A-Za-z0-9._-]*
    | -----BEGIN[ ][A-Z -]{0,40}
    )(?:$|(?="))""",
    re.VERBOSE,
)
"""A text, or a text in JSON, that ends with the beginning of a key."""

MENTIONED = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:
      gh[pousr]_ | github_pat_ | gl(?:pat|dt|rt)- | [srp]k[_-](?:live|test|ant|proj|or)[_-] | sk- | xox[abeprs]-
    | xapp- | whsec_ | AKIA | ASIA | AIza | ya29\. | GOCSPX- | npm_ | pypi- | hf_ | gsk_ | xai- | SG\. | ATATT
    | lin_api_ | dop_v1_ | shp(?:at|ss)_ | dckr_pat_ | NRAK- | r8_ | pplx- | ntn_ | figd_ | hv[sb]\. | eyJ | LTAI
    | sbp_ | tvly- | nvapi- | dapi | PMAK- | glsa_ | -----BEGIN
    )(?=[xX*•.…\s"'’”»`)\],;、，。）]|$|[A-Za-z0-9_-]{0,40}[0-9])""",
    re.VERBOSE,
)
"""The beginning of a key in a sentence about it, such as "starts with ghp_"."""
