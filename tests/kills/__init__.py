"""Kills of program, servers and network at random moments, judged by servers that write down what came."""
