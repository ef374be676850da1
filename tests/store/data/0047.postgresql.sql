CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.answer_webhooks (
    request_id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    failures integer NOT NULL,
    failure character varying(64) NOT NULL,
    next_at timestamp without time zone,
    ended_at timestamp without time zone,
    secrets text
);
CREATE TABLE public.audit (
    id integer NOT NULL,
    at timestamp without time zone NOT NULL,
    user_id character varying(255) NOT NULL,
    way character varying(32) NOT NULL,
    address character varying(255) NOT NULL,
    action character varying(32) NOT NULL,
    object character varying(255) NOT NULL,
    outcome character varying(32) NOT NULL
);
CREATE SEQUENCE public.audit_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_id_seq OWNED BY public.audit.id;
CREATE TABLE public.browser_sessions (
    session_hash character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    expires_at timestamp without time zone NOT NULL,
    way character varying(32) DEFAULT 'local'::character varying NOT NULL,
    idle_seconds integer,
    idle_at timestamp without time zone,
    provider_session character varying(255),
    created_at timestamp without time zone,
    used_at timestamp without time zone,
    user_agent character varying(255),
    address character varying(255)
);
CREATE TABLE public.call_logs (
    call_id character varying(32) NOT NULL COLLATE pg_catalog."C",
    user_id character varying(255) NOT NULL,
    entries json NOT NULL,
    omitted integer NOT NULL
);
CREATE TABLE public.calls (
    id character varying(32) NOT NULL COLLATE pg_catalog."C",
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    server_label text NOT NULL,
    kind character varying(16) NOT NULL,
    name text NOT NULL,
    arguments json,
    state character varying(16) NOT NULL,
    round integer NOT NULL,
    progress json,
    result json,
    error json,
    created_at timestamp without time zone NOT NULL,
    updated_at timestamp without time zone NOT NULL,
    checkpoint json,
    via character varying(16) DEFAULT 'page'::character varying NOT NULL,
    retry_of character varying(32),
    search_text text DEFAULT ''::text NOT NULL,
    withheld json,
    secrets json,
    erased_at timestamp without time zone,
    may_wait boolean DEFAULT false NOT NULL,
    owner character varying(255),
    generation integer,
    tool_failed boolean DEFAULT false NOT NULL,
    values_text text DEFAULT ''::text NOT NULL,
    task json
);
CREATE TABLE public.drafts (
    user_id character varying(255) NOT NULL,
    request_id character varying(32) NOT NULL COLLATE pg_catalog."C",
    texts json NOT NULL,
    updated_at timestamp without time zone NOT NULL,
    prefilled boolean DEFAULT false NOT NULL
);
CREATE TABLE public.embed_sessions (
    session_hash character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    embedder character varying(64) NOT NULL,
    subject character varying(255) NOT NULL,
    host_session character varying(255),
    origin text NOT NULL,
    scopes json NOT NULL,
    ends_at timestamp without time zone NOT NULL,
    created_at timestamp without time zone,
    used_at timestamp without time zone,
    user_agent character varying(255),
    address character varying(255)
);
CREATE TABLE public.grants (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    issuer text NOT NULL,
    resource text,
    requested json NOT NULL,
    scopes json NOT NULL,
    expires_at timestamp without time zone,
    version integer NOT NULL,
    lease_until timestamp without time zone,
    secrets text NOT NULL
);
CREATE TABLE public.muted_programs (
    user_id character varying(255) NOT NULL,
    asker_id character varying(64) NOT NULL,
    label text NOT NULL,
    muted_at timestamp without time zone NOT NULL
);
CREATE TABLE public.nodes (
    id character varying(255) NOT NULL,
    generation integer NOT NULL,
    started_at timestamp without time zone NOT NULL
);
CREATE TABLE public.notice_settings (
    user_id character varying(255) NOT NULL,
    wait_seconds integer NOT NULL,
    quiet json,
    last_at timestamp without time zone,
    last_id character varying(32) NOT NULL,
    unheeded integer NOT NULL,
    secrets text NOT NULL
);
CREATE TABLE public.notice_targets (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    kind character varying(16) NOT NULL,
    label text NOT NULL,
    language character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    failing_since timestamp without time zone,
    failure character varying(64) NOT NULL,
    disabled_at timestamp without time zone,
    secrets text NOT NULL
);
CREATE TABLE public.notices (
    target_id character varying(32) NOT NULL,
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    failures integer NOT NULL,
    next_at timestamp without time zone NOT NULL
);
CREATE TABLE public.pending_sign_ins (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    issuer text NOT NULL,
    scopes json NOT NULL,
    new_scopes json NOT NULL,
    state_hash character varying(64) NOT NULL,
    nonce_hash character varying(64),
    created_at timestamp without time zone NOT NULL,
    expires_at timestamp without time zone NOT NULL,
    used_at timestamp without time zone,
    secrets text NOT NULL
);
CREATE TABLE public.program_tokens (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    token_hash character varying(64) NOT NULL,
    label text NOT NULL,
    scopes json NOT NULL,
    hint character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    used_at timestamp without time zone,
    revoked_at timestamp without time zone,
    muted_at timestamp without time zone,
    may_ask json
);
CREATE TABLE public.registrations (
    user_id character varying(255) NOT NULL,
    digest character varying(64) NOT NULL,
    issuer text NOT NULL,
    redirect_uri text NOT NULL,
    secrets text NOT NULL
);
CREATE TABLE public.requests (
    id character varying(32) NOT NULL COLLATE pg_catalog."C",
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    call_id character varying(32) COLLATE pg_catalog."C",
    kind character varying(16) NOT NULL,
    params json,
    asked_by json,
    during json,
    round integer,
    "position" integer NOT NULL,
    total integer NOT NULL,
    state character varying(16) NOT NULL,
    reason text,
    content json,
    expires_at timestamp without time zone,
    created_at timestamp without time zone NOT NULL,
    settled_at timestamp without time zone,
    count integer DEFAULT 1 NOT NULL,
    via character varying(16),
    delivery character varying(16),
    came character varying(16) DEFAULT 'pushed'::character varying NOT NULL,
    opened_at timestamp without time zone,
    digest character varying(64),
    search_text text DEFAULT ''::text NOT NULL,
    withheld json,
    secrets json,
    erased_at timestamp without time zone,
    ended_via character varying(16),
    possible_calls json,
    reason_code character varying(64),
    reason_params json,
    reason_search_text text,
    owner character varying(255),
    generation integer,
    decided character varying(16),
    undo_until timestamp without time zone,
    values_text text DEFAULT ''::text NOT NULL,
    sampling json,
    task_id text,
    wire_id json,
    hosted_task_id character varying(64),
    noticed_at timestamp without time zone
);
CREATE TABLE public.sampling_spent (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    day character varying(10) NOT NULL,
    requests integer NOT NULL,
    tokens integer NOT NULL,
    costs json NOT NULL
);
CREATE TABLE public.saved_sessions (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    secrets text NOT NULL
);
CREATE TABLE public.servers (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    name text,
    label text NOT NULL,
    transport json NOT NULL,
    era character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    modes json DEFAULT '["form", "url"]'::json NOT NULL,
    muted_at timestamp without time zone,
    learned json DEFAULT '{}'::json NOT NULL,
    oauth json DEFAULT '{}'::json NOT NULL,
    secrets text,
    sampling json DEFAULT '{}'::json NOT NULL,
    roots json,
    log_level character varying(16) DEFAULT 'debug'::character varying NOT NULL,
    followed json DEFAULT '[]'::json NOT NULL,
    reconnects boolean DEFAULT true NOT NULL
);
CREATE TABLE public.step_ups (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    scope_digest character varying(64) NOT NULL,
    count integer NOT NULL,
    last_at timestamp without time zone NOT NULL
);
CREATE TABLE public.task_choices (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    tool_digest character varying(64) NOT NULL
);
CREATE TABLE public.used_tokens (
    digest character varying(64) NOT NULL,
    expires_at timestamp without time zone NOT NULL
);
CREATE TABLE public.users (
    id character varying(255) NOT NULL,
    issuer character varying(255) NOT NULL,
    subject character varying(255) NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    role character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    seen_at timestamp without time zone NOT NULL,
    disabled_at timestamp without time zone,
    signed_in_at timestamp without time zone
);
ALTER TABLE ONLY public.audit ALTER COLUMN id SET DEFAULT nextval('public.audit_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0047');
INSERT INTO public.answer_webhooks VALUES ('8b5JwSFuDICcxBVb', 'ada', 0, '', NULL, NULL, 'k1.E6pVSCH15Y6bcZm9CqR8r2uMBDRu2IEdIAvjeQGOgFJjkD4CyM4lz9Dfu07zmG4Nw_uFaMnOYkVW01ilwEy-p638xMdoWlc=');
INSERT INTO public.audit VALUES (1, '2026-11-24 14:38:41.678956', '', 'oidc', '192.0.2.7', 'server_added', '7cRMKMrW7PfaF3pA', '');
INSERT INTO public.audit VALUES (2, '2026-11-24 14:38:41.734052', '', 'oidc', '192.0.2.7', 'answered', 'declined', 'declined');
INSERT INTO public.audit VALUES (3, '2026-11-24 14:38:41.747456', '', 'oidc', '192.0.2.7', 'answered', 'saved', 'accepted');
INSERT INTO public.audit VALUES (4, '2026-11-24 14:38:41.884456', '', 'oidc', '192.0.2.7', 'server_added', 'guarded', '');
INSERT INTO public.audit VALUES (5, '2026-11-24 14:38:42.152583', 'i4cLG2H2iwaxbErc', 'oidc', '192.0.2.7', 'first_seen', 'i4cLG2H2iwaxbErc', '');
INSERT INTO public.audit VALUES (6, '2026-11-24 14:38:42.15407', 'HBHlQIwDkDPv265n', 'oidc', '192.0.2.7', 'first_seen', 'HBHlQIwDkDPv265n', '');
INSERT INTO public.audit VALUES (7, '2026-11-24 14:38:42.157897', '', 'oidc', '192.0.2.7', 'user_disabled', 'HBHlQIwDkDPv265n', '');
INSERT INTO public.audit VALUES (8, '2026-11-24 14:38:42.16797', 'i4cLG2H2iwaxbErc', 'oidc', '192.0.2.7', 'signed_in', 'i4cLG2H2iwaxbErc', '');
INSERT INTO public.audit VALUES (9, '2026-11-24 14:38:42.169884', '', 'oidc', '192.0.2.7', 'signed_in', '', '');
INSERT INTO public.audit VALUES (10, '2026-11-24 14:38:42.170494', '', 'oidc', '192.0.2.7', 'sign_in_refused', '3', 'refused');
INSERT INTO public.audit VALUES (11, '2026-11-24 14:38:42.178895', 'i4cLG2H2iwaxbErc', 'oidc', '192.0.2.7', 'embed_session_begun', 'chat', '');
INSERT INTO public.audit VALUES (12, '2026-11-24 14:38:42.186559', 'i4cLG2H2iwaxbErc', 'oidc', '192.0.2.7', 'embed_session_begun', 'chat', '');
INSERT INTO public.audit VALUES (13, '2026-11-24 14:38:42.1895', '', 'oidc', '192.0.2.7', 'embed_sessions_ended', 'chat', '1');
INSERT INTO public.browser_sessions VALUES ('2c7e6d7f2e4abb2a47a253f18250f80b88edfca1ae03a0017cf08d99bf6677cc', 'i4cLG2H2iwaxbErc', '2126-10-31 14:38:42.165963', 'oidc', 86400, '2026-11-25 14:38:42.166123', 'p-1', '2026-11-24 14:38:42.166115', '2026-11-24 14:38:42.166116', '', '');
INSERT INTO public.call_logs VALUES ('8OlwYxMeZYlxZmAQ', 'ada', '[{"at": "2026-11-24T14:38:34.258958+00:00", "level": "info", "logger": "", "text": "booked", "shared": false}]', 0);
INSERT INTO public.calls VALUES ('8OlwYxMeZYlxZmAQ', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'running', 0, NULL, NULL, NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:34.258446', NULL, 'api', NULL, 'travel
book', '["token"]', '{"token": "x"}', NULL, false, 'local', 1, false, '
', NULL);
INSERT INTO public.calls VALUES ('ended', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'done', 0, NULL, '{"content": []}', NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:34.258446', NULL, 'api', NULL, 'travel
book', '["token"]', '{"token": "x"}', NULL, false, 'local', 1, false, '
', NULL);
INSERT INTO public.calls VALUES ('waits-round', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.887877', '{"version": 1, "kind": "round", "round": 1, "requests": {"k": "asked"}, "state": "s", "unanswered_before": 0}', 'api', NULL, 'travel
book', '["token"]', '{"token": "x"}', NULL, false, 'local', 1, false, '
', NULL);
INSERT INTO public.calls VALUES ('waits-links', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.901037', '{"version": 1, "kind": "links", "round": 2, "requests": {"e1": "link"}, "error": {"code": -32042}, "answers": {"k": {}}, "state": null, "unanswered_before": 0}', 'api', NULL, 'travel
book', '["token"]', '{"token": "x"}', NULL, false, 'local', 1, false, '
', NULL);
INSERT INTO public.calls VALUES ('waits-unsent', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.902962', '{"version": 1, "kind": "unsent", "as_task": true}', 'api', NULL, 'travel
book', '["token"]', '{"token": "x"}', NULL, false, 'local', 1, false, '
', NULL);
INSERT INTO public.calls VALUES ('waits-task', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.904845', '{"version": 1, "kind": "task", "generation": "2025-11-25", "task_id": "t-9", "round": 0, "requests": {}, "progress_token": 7}', 'api', NULL, 'travel
book', '["token"]', '{"token": "x"}', NULL, false, 'local', 1, false, '
', NULL);
INSERT INTO public.calls VALUES ('is-done', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'done', 0, NULL, '{"content": [{"type": "text", "text": "booked"}], "isError": true}', NULL, '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.91235', NULL, 'api', NULL, 'travel
book', '["token"]', NULL, NULL, false, 'local', 1, true, '
booked', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:41.912278+00:00"}');
INSERT INTO public.calls VALUES ('is-failed', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'failed', 0, NULL, NULL, '{"code": -32603, "message": "disk on fire", "data": [1, null], "reconnect_with": "2025-11-25", "reason_code": "server_time_limit", "reason_params": {"label": "Zo\u00eb''s kettle", "duration": 90}}', '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.917369', NULL, 'api', NULL, 'travel
book
zoë''s kettle
1 min 30 s', '["token"]', NULL, NULL, false, 'local', 1, false, '
', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:41.917317+00:00"}');
INSERT INTO public.calls VALUES ('is-cancelled', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'cancelled', 0, NULL, NULL, '{"reason_code": "call_cancelled"}', '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.952778', NULL, 'api', NULL, 'travel
book
', '["token"]', NULL, NULL, false, 'local', 1, false, '
', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:41.952707+00:00"}');
INSERT INTO public.calls VALUES ('is-interrupted', 'ada', '7cRMKMrW7PfaF3pA', 'travel', 'tool', 'book', '{"token": null}', 'interrupted', 0, NULL, NULL, '{"reason_code": "connection_lost"}', '2026-11-24 14:38:34.258445', '2026-11-24 14:38:41.955166', NULL, 'api', NULL, 'travel
book
', '["token"]', NULL, NULL, false, 'local', 1, false, '
', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T14:38:41.955101+00:00"}');
INSERT INTO public.drafts VALUES ('ada', '8b5JwSFuDICcxBVb', '{"f0": ["typed"]}', '2026-11-24 14:38:41.700984', true);
INSERT INTO public.drafts VALUES ('ada', 'declined', '{"f0": ["typed"]}', '2026-11-24 14:38:41.704124', true);
INSERT INTO public.drafts VALUES ('ada', 'asked', '{"f0": ["typed"]}', '2026-11-24 14:38:41.711036', true);
INSERT INTO public.drafts VALUES ('ada', 'expired', '{"f0": ["typed"]}', '2026-11-24 14:38:41.723164', false);
INSERT INTO public.embed_sessions VALUES ('33d3412c7f90223b7d2bb1d179441a6a84728c9eecbcb06c0747afabeb05c552', 'i4cLG2H2iwaxbErc', 'chat', 'g', 'h-1', 'https://chat.example', '["read", "answer"]', '2126-10-31 14:38:42.172991', '2026-11-24 14:38:42.180608', '2026-11-24 14:38:42.18061', '', '');
INSERT INTO public.grants VALUES ('ada', '7cRMKMrW7PfaF3pA', 'https://as.example', 'http://127.0.0.1/mcp', '["read", "write"]', '["read"]', '2026-11-24 15:38:34.258898', 1, NULL, 'k1.lGxqP5O0B9JymS_8OgnhM8I8MEWHyzZNihB0YgOdNH-gaOQIcSDEQAsJQCQR8ZGNhXrDYSI6mHoO9K1h0vXw');
INSERT INTO public.muted_programs VALUES ('ada', '7cRMKMrW7PfaF3pA', 'travel', '2026-11-24 14:38:41.868424');
INSERT INTO public.nodes VALUES ('local', 1, '2026-11-24 14:38:41.661214');
INSERT INTO public.notice_settings VALUES ('ada', 10, NULL, '2026-11-24 14:38:34.258935', 'sent', 1, 'k1.iVGydLF_pNSLr9QlqpQHmQy28FwFKqdvdSr2bN-YO9pUopCXfi7q6T1N5kLY0QCAfWD-rZVcaMuTJ6VEd6K6R0JWFOyl3dQ=');
INSERT INTO public.notice_targets VALUES ('t1', 'ada', 'webhook', 'bot', 'en', '2026-11-24 14:38:34.258933', NULL, '', NULL, 'k1.hbnp-bGH-FupQq8xlccD8W886eHm8NnbLUuDK1EbwR9Sb3JdhUDnJFcS7S30ErVyw7GiHVn9afU=');
INSERT INTO public.notices VALUES ('t1', 'n1', 'ada', 0, '2026-11-24 14:38:34.258935');
INSERT INTO public.pending_sign_ins VALUES ('fRhcChzuLcvN2agb', 'ada', '7cRMKMrW7PfaF3pA', 'https://as.example', '["read", "write"]', '["write"]', '0000000000000000000000000000000000000000000000000000000000000000', NULL, '2026-11-24 14:38:34.258895', '2026-11-24 15:38:34.258878', NULL, 'k1.lqKNjjjuxD3rQs6j2dVfBhb313slcWOa143zayg9L3576TGmQg8fd2Aj3-lbs4TO8Y4bRNeQgmTHxDVh4NgGdyruSdm7wCHtFaA5c9m1TyY86k3Ayw-DssW08hjDWlEf96v_UINjf9y7ylL8T18sI64L8PeTdw1vtQDOIAEH5uiJyMG28O91h2Mdcg==');
INSERT INTO public.program_tokens VALUES ('IEwQFnIFatZWBF6P', 'ada', '8a8da5b1764b88a7edaa98f5316d9a8b5f34a2f257f5b19cce0224bccf954b6b', 'Agent', '["ask"]', 'cret', '2026-11-24 14:38:34.258955', NULL, NULL, NULL, NULL);
INSERT INTO public.registrations VALUES ('ada', 'ffc344c5518579361da04c7fd76c87be0d35f801975c8646a2043c0eb355ea7a', 'https://as.example', 'http://127.0.0.1:8765/oauth/callback', 'k1.gU9ynoElBUHPGQePgFSn3O_csGWjRRwPNYWG60ViCMRFxupsfEjqd_g1YSutOmQIs5u8JCo8R5MASRdt2Vezim_Z');
INSERT INTO public.requests VALUES ('8b5JwSFuDICcxBVb', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, '2026-11-25 14:38:34.25847', '2026-11-24 14:38:34.258495', NULL, 1, NULL, NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, '["8OlwYxMeZYlxZmAQ"]', NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('asked', 'ada', '7cRMKMrW7PfaF3pA', '8OlwYxMeZYlxZmAQ', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, NULL, '2026-11-24 14:38:34.258756', NULL, 1, NULL, NULL, 'round', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('link', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"url": "https://a.example", "elicitationId": "e1"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'waiting', NULL, NULL, NULL, '2026-11-24 14:38:34.258784', '2026-11-24 14:38:41.880836', 1, NULL, NULL, 'pushed', '2026-11-24 14:38:41.880781', '52dfbe3be6487ac145126773a10f5eedf3a72b0a63a8d90f690614989f3f0c1b', 'travel
', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('expired', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'expired', NULL, NULL, NULL, '2026-11-24 14:38:34.258622', '2026-11-24 14:38:41.723767', 1, NULL, NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('declined', 'ada', '7cRMKMrW7PfaF3pA', 'ended', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'declined', NULL, NULL, NULL, '2026-11-24 14:38:34.258657', '2026-11-24 14:38:41.731628', 1, 'page', NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('saved', 'ada', '7cRMKMrW7PfaF3pA', '8OlwYxMeZYlxZmAQ', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', NULL, '{"name": "Ada"}', NULL, '2026-11-24 14:38:34.258727', '2026-11-24 14:38:41.742412', 1, 'page', 'saved', 'round', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name ada', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('hosted', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', NULL, '{"name": "Ada"}', NULL, '2026-11-24 14:38:34.258814', '2026-11-24 14:38:41.748206', 1, NULL, 'sending', 'hosted', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name ada', NULL, NULL, NULL, 't-1', NULL);
INSERT INTO public.requests VALUES ('sent', 'ada', '7cRMKMrW7PfaF3pA', '8OlwYxMeZYlxZmAQ', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', NULL, '{"name": null}', NULL, '2026-11-24 14:38:34.258694', '2026-11-24 14:38:41.73487', 1, NULL, 'sending', 'round', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '["name"]', '{"name": "Ada"}', NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name', NULL, NULL, NULL, NULL, '2026-11-24 14:38:34.258935');
INSERT INTO public.requests VALUES ('other', 'ada', 'program-1', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, NULL, '2026-11-24 14:38:34.258849', NULL, 1, NULL, NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-pending', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it pending?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, NULL, '2026-11-24 14:38:41.964866', NULL, 1, NULL, NULL, 'pushed', NULL, '574a5b54196b766b5d170627284a494aab2bc594622c37e5e977c9ee251a3981', 'travel
is it pending?', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-accepted', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it accepted?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', NULL, '{"name": "Ada"}', NULL, '2026-11-24 14:38:41.966047', '2026-11-24 14:38:41.967037', 1, NULL, 'delivered', 'pushed', NULL, 'f906d06ae59a60d0fd6860cbd2518aa48982d7f3d280958600c2b873cb221610', 'travel
is it accepted?', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name ada', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-declined', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it declined?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'declined', NULL, NULL, NULL, '2026-11-24 14:38:41.968756', '2026-11-24 14:38:41.969793', 1, NULL, NULL, 'pushed', NULL, 'a8541031d254baeddb05b491d6e773c5b0a6ce11cafefec215ca05ce820371ef', 'travel
is it declined?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-cancelled', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it cancelled?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'cancelled', NULL, NULL, NULL, '2026-11-24 14:38:41.97584', '2026-11-24 14:38:41.976863', 1, NULL, NULL, 'pushed', NULL, 'aa6a697c93ff74a29914802b52b6196a2123c356eaa4432d1c0ba5d4090bab85', 'travel
is it cancelled?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-withdrawn', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it withdrawn?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'withdrawn', NULL, NULL, NULL, '2026-11-24 14:38:41.984646', '2026-11-24 14:38:42.009295', 1, NULL, NULL, 'pushed', NULL, '6490e8317442e1a8aff0e2f2e37e16f06c5c514af324980c921eb64b754f7572', 'travel
is it withdrawn?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-expired', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it expired?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'expired', NULL, NULL, NULL, '2026-11-24 14:38:42.014204', '2026-11-24 14:38:42.016818', 1, NULL, NULL, 'pushed', NULL, '79be4f2bfde15e1b16178d1883a02f08e29f7a7b3a6dc5288b82e7c85fc3333e', 'travel
is it expired?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-interrupted', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it interrupted?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'interrupted', NULL, NULL, NULL, '2026-11-24 14:38:42.01852', '2026-11-24 14:38:42.021036', 1, NULL, NULL, 'pushed', NULL, '3c15112a91d529c33f04062053531efa9103106167a351d2d10b52404616ab57', 'travel
is it interrupted?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-refused', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it refused?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'refused', NULL, NULL, NULL, '2026-11-24 14:38:42.101319', '2026-11-24 14:38:42.102721', 1, NULL, NULL, 'pushed', NULL, 'b150d492ad648f1f4646658d53a6a41232088d9ef5cf62dc9f3644edb827ce30', 'travel
is it refused?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-waiting', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it waiting?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'waiting', NULL, NULL, NULL, '2026-11-24 14:38:42.10439', '2026-11-24 14:38:42.109673', 1, NULL, NULL, 'pushed', NULL, '9857efd9d4cc219a4da57ad7749bc8accbe5bcd68be30a23debcd638cf115675', 'travel
is it waiting?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('is-completed', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'form', '{"message": "Is it completed?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'completed', NULL, NULL, NULL, '2026-11-24 14:38:42.130883', '2026-11-24 14:38:42.133418', 1, NULL, NULL, 'pushed', '2026-11-24 14:38:42.131808', '87545864d1fa394c8b44f2cc92381ed8c6f1a53179c3d20797473907eb86fed9', 'travel
is it completed?', '[]', NULL, NULL, 'api', NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.requests VALUES ('sampled', 'ada', '7cRMKMrW7PfaF3pA', NULL, 'sampling', '{"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up."}}], "maxTokens": 9}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, NULL, '2026-11-24 14:38:42.137252', NULL, 1, NULL, NULL, 'pushed', NULL, '49da64501ca384208c8ce79f82bc6378dfb3013a6216420ba6060bd36a99484b', 'travel
sum up.', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', '{"stage": "reviewing", "conversation": "", "turn": 1, "seen": 0, "model": "m", "result": {"role": "assistant"}, "usage": {"input_tokens": 0, "output_tokens": 3, "cost": null, "currency": "", "is_estimate": false}, "by_rule": false, "approved": false, "approved_turns": 0}', NULL, NULL, NULL, NULL);
INSERT INTO public.sampling_spent VALUES ('ada', '7cRMKMrW7PfaF3pA', '2026-11-24', 1, 1, '{}');
INSERT INTO public.saved_sessions VALUES ('ada', '7cRMKMrW7PfaF3pA', 'k1.vMgfWzx_FCHDwYOdjrrE6GkiP2rPNjOh0cqtt5oKA6XTb2iZDeKo0IVwxxz5B26VrtqNkqouUYlDcUHfXodFTMXI6FvP5nNBPyxnLmKT8y-k4SUr-DWAnKGwG_7e8U3SbuZ-Iy2YHcO7y_zZSY1RsmBtrP8z4KTkMimhI03EMt2MQHbye2vAK8qHvCdi59y8IK493GpeUU1VtLRngIxodKF3UcQisie0qn3eC2UayyfUhqYWIvm6G0axmEDkXv1QGuqVQ2T_4O8VWQ8Das5OK39v3JjlW2z7UXTau6Rct5gWjubra2isqKEY3H0abGLKqYq3xTWtn9ObZV3er6lGssiTsqZ4Wdqid5qZoqumiO08ZLz6lCYx0C4b9qSLJAFSc7hq');
INSERT INTO public.servers VALUES ('7cRMKMrW7PfaF3pA', 'ada', NULL, 'travel', '{"type": "http", "url": "http://127.0.0.1/mcp"}', 'auto', '2026-11-24 14:38:34.258417', '["form", "url", "sampling"]', NULL, '{}', '{}', NULL, '{}', NULL, 'debug', '[]', false);
INSERT INTO public.servers VALUES ('guarded', 'ada', NULL, 'travel', '{"type": "http", "url": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": {"Authorization": null, "X-Tenant": null}, "env": {"TOKEN": null}}', 'auto', '2026-11-24 14:38:34.258417', '["form", "url", "sampling"]', NULL, '{}', '{"client_id": "our-client", "client_secret": null, "private_key": null, "idp_id_token": null}', 'k1.aERRJPG95oqkmJgGTSKcnoMYyW-B_-rpKKa_acbd2yKZBu6lhXVllePHfT8oJKjAH7vK1iEFrWQXTHDxwxjGOV4CCBj7mAOhaZt97UkFKYJsK42jF2eHof50aUuD5wXG2fdLfwU34tHPghl-LIVE7lt9jUVpiRqzYNLpaJ8xg2Rm24JkGdw5h9S9-95YXrfLG1ur0sBXgWhNWCNwVB17p0HJiZoOwzQ6dxpSpBAJG7rc39F7WB1Y_yJbdFEIqFN8RboshEVEQIG_HVh846wcUb_wTlI5bGW6rczC5ELYaYzS2Po6pf5hzCG9ktyb5vUPBe7BF2wuvakPOmGI02HHv7T5BGPAs31Sd0TKllhVosoeiOW1NbKhtxztEkBe_VNvhEprXG1JuRL1gM2j-bNL48IkoAy5Fto4nOyzm36dO5t87FvxgutdosYNYzC4Hw2a5m0907ymczN2j5HAFw==', '{}', NULL, 'debug', '[]', false);
INSERT INTO public.step_ups VALUES ('ada', '7cRMKMrW7PfaF3pA', '10fd874b68dad080ed706762c8e163dabb20514bddae38fb159c56f714a3b143', 1, '2026-11-24 14:38:41.802082');
INSERT INTO public.task_choices VALUES ('ada', '7cRMKMrW7PfaF3pA', '811f2a14b9850c9d9c7562f29228754bfabbd03407fb41f00994180bd9de98f2');
INSERT INTO public.used_tokens VALUES ('c60ce4446b4d01e0017df290f5d4a2f47bdca50f319fd9c34b2e0b94e66c7a08', '2126-10-31 14:38:42.17301');
INSERT INTO public.used_tokens VALUES ('683abe4cd4862400384cb3d97aa9b037275a3da05fa87eb9aff48aba434d286d', '2126-10-31 14:38:42.185354');
INSERT INTO public.used_tokens VALUES ('bc8c66a01dde17fa570725675cfdb078eb039f43feae3f98817fd77e872d20b3', '2126-10-31 14:38:42.189994');
INSERT INTO public.users VALUES ('local', 'local', 'local', '', '', 'admin', '2026-11-24 14:38:41.669637', '2026-11-24 14:38:41.669639', NULL, '2026-11-24 14:38:41.669641');
INSERT INTO public.users VALUES ('i4cLG2H2iwaxbErc', 'https://idp', 'g', 'Grace', '', 'admin', '2026-11-24 14:38:42.146331', '2026-11-24 14:38:42.146332', NULL, '2026-11-24 14:38:42.146292');
INSERT INTO public.users VALUES ('HBHlQIwDkDPv265n', 'https://idp', 'a', '', 'alan@corp.example', 'user', '2026-11-24 14:38:42.15373', '2026-11-24 14:38:42.153731', '2026-11-24 14:38:42.154659', '2026-11-24 14:38:42.153711');
SELECT pg_catalog.setval('public.audit_id_seq', 13, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.answer_webhooks
    ADD CONSTRAINT pk_answer_webhooks PRIMARY KEY (request_id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT pk_audit PRIMARY KEY (id);
ALTER TABLE ONLY public.call_logs
    ADD CONSTRAINT pk_call_logs PRIMARY KEY (call_id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT pk_calls PRIMARY KEY (id);
ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT pk_drafts PRIMARY KEY (user_id, request_id);
ALTER TABLE ONLY public.embed_sessions
    ADD CONSTRAINT pk_embed_sessions PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT pk_grants PRIMARY KEY (user_id, server_id);
ALTER TABLE ONLY public.muted_programs
    ADD CONSTRAINT pk_muted_programs PRIMARY KEY (user_id, asker_id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT pk_nodes PRIMARY KEY (id);
ALTER TABLE ONLY public.notice_settings
    ADD CONSTRAINT pk_notice_settings PRIMARY KEY (user_id);
ALTER TABLE ONLY public.notice_targets
    ADD CONSTRAINT pk_notice_targets PRIMARY KEY (id);
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT pk_notices PRIMARY KEY (target_id);
ALTER TABLE ONLY public.pending_sign_ins
    ADD CONSTRAINT pk_pending_sign_ins PRIMARY KEY (id);
ALTER TABLE ONLY public.program_tokens
    ADD CONSTRAINT pk_program_tokens PRIMARY KEY (id);
ALTER TABLE ONLY public.registrations
    ADD CONSTRAINT pk_registrations PRIMARY KEY (user_id, digest);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT pk_requests PRIMARY KEY (id);
ALTER TABLE ONLY public.sampling_spent
    ADD CONSTRAINT pk_sampling_spent PRIMARY KEY (user_id, server_id, day);
ALTER TABLE ONLY public.saved_sessions
    ADD CONSTRAINT pk_saved_sessions PRIMARY KEY (user_id, server_id);
ALTER TABLE ONLY public.servers
    ADD CONSTRAINT pk_servers PRIMARY KEY (id);
ALTER TABLE ONLY public.browser_sessions
    ADD CONSTRAINT pk_sign_ins PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.step_ups
    ADD CONSTRAINT pk_step_ups PRIMARY KEY (user_id, server_id, scope_digest);
ALTER TABLE ONLY public.task_choices
    ADD CONSTRAINT pk_task_choices PRIMARY KEY (user_id, server_id, tool_digest);
ALTER TABLE ONLY public.used_tokens
    ADD CONSTRAINT pk_used_tokens PRIMARY KEY (digest);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);
CREATE INDEX ix_answer_webhooks_next_at ON public.answer_webhooks USING btree (next_at);
CREATE INDEX ix_answer_webhooks_user_id ON public.answer_webhooks USING btree (user_id);
CREATE INDEX ix_browser_sessions_user_id ON public.browser_sessions USING btree (user_id);
CREATE INDEX ix_calls_erased_at_updated_at ON public.calls USING btree (erased_at, updated_at);
CREATE INDEX ix_calls_secrets ON public.calls USING btree (id) WHERE (secrets IS NOT NULL);
CREATE INDEX ix_calls_state_user_id_server_id ON public.calls USING btree (state, user_id, server_id);
CREATE INDEX ix_calls_user_id_created_at_id ON public.calls USING btree (user_id, created_at, id);
CREATE INDEX ix_calls_user_id_server_id_created_at_id ON public.calls USING btree (user_id, server_id, created_at, id);
CREATE INDEX ix_calls_user_id_updated_at_id ON public.calls USING btree (user_id, updated_at, id);
CREATE INDEX ix_embed_sessions_embedder_host_session ON public.embed_sessions USING btree (embedder, host_session);
CREATE INDEX ix_embed_sessions_embedder_subject ON public.embed_sessions USING btree (embedder, subject);
CREATE INDEX ix_embed_sessions_ends_at ON public.embed_sessions USING btree (ends_at);
CREATE INDEX ix_embed_sessions_user_id ON public.embed_sessions USING btree (user_id);
CREATE INDEX ix_notice_targets_user_id ON public.notice_targets USING btree (user_id);
CREATE INDEX ix_notices_next_at ON public.notices USING btree (next_at);
CREATE INDEX ix_pending_sign_ins_state_hash ON public.pending_sign_ins USING btree (state_hash);
CREATE UNIQUE INDEX ix_pending_sign_ins_user_id_server_id ON public.pending_sign_ins USING btree (user_id, server_id);
CREATE INDEX ix_program_tokens_token_hash ON public.program_tokens USING btree (token_hash);
CREATE INDEX ix_program_tokens_user_id ON public.program_tokens USING btree (user_id);
CREATE INDEX ix_requests_call_id ON public.requests USING btree (call_id);
CREATE INDEX ix_requests_erased_at_settled_at ON public.requests USING btree (erased_at, settled_at);
CREATE INDEX ix_requests_hosted ON public.requests USING btree (user_id, server_id, created_at, id) WHERE (hosted_task_id IS NOT NULL);
CREATE INDEX ix_requests_hosted_task_id ON public.requests USING btree (hosted_task_id) WHERE (hosted_task_id IS NOT NULL);
CREATE INDEX ix_requests_opened ON public.requests USING btree (user_id, server_id, created_at) WHERE (opened_at IS NOT NULL);
CREATE INDEX ix_requests_possible_calls ON public.requests USING btree (user_id, created_at) WHERE (possible_calls IS NOT NULL);
CREATE INDEX ix_requests_secrets ON public.requests USING btree (id) WHERE (secrets IS NOT NULL);
CREATE INDEX ix_requests_sending ON public.requests USING btree (id) WHERE ((delivery)::text = 'sending'::text);
CREATE INDEX ix_requests_state_expires_at ON public.requests USING btree (state, expires_at);
CREATE INDEX ix_requests_user_id_created_at_position_id ON public.requests USING btree (user_id, created_at, "position", id);
CREATE INDEX ix_requests_user_id_server_id_created_at_position_id ON public.requests USING btree (user_id, server_id, created_at, "position", id);
CREATE INDEX ix_requests_user_id_server_id_digest ON public.requests USING btree (user_id, server_id, digest);
CREATE INDEX ix_requests_user_id_settled_at_id ON public.requests USING btree (user_id, settled_at, id);
CREATE INDEX ix_requests_user_id_state_created_at ON public.requests USING btree (user_id, state, created_at);
CREATE INDEX ix_requests_user_id_state_server_id ON public.requests USING btree (user_id, state, server_id);
CREATE INDEX ix_servers_user_id ON public.servers USING btree (user_id);
CREATE INDEX ix_used_tokens_expires_at ON public.used_tokens USING btree (expires_at);
CREATE UNIQUE INDEX ix_users_issuer_subject ON public.users USING btree (issuer, subject);
